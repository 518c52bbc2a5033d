"""The simulated SoC as a device: processes, memory images and the record it keeps."""
