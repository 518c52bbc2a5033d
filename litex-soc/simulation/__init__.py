"""The SoC in Verilator: what `sim.py` builds and runs it with."""
