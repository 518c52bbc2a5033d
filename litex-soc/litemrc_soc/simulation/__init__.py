"""The modules with which `sim.py` builds and runs the SoC in Verilator."""
