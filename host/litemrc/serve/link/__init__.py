"""The link of a device for other programs, over a WebSocket."""
