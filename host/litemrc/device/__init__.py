"""The device side of the host package: the serial link, its messages, and the collection of epochs."""
