# SPDX-License-Identifier: BSD-2-Clause
"""The simulated SoC as a device: processes, memory images and the record it keeps."""
