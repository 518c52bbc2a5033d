"""The serial link: frames, the message schema and requests."""
