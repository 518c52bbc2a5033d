"""A message of a device, as the host decodes it."""

from fuzz.target import Target
from litemrc.device.link.protocol import ProtocolError, device_messages

CODEC = device_messages()


TARGET = Target(consume=CODEC.decode, refusals=(ProtocolError,), longest=CODEC.max_received_bytes)
