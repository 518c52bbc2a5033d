"""LiteMRC gateware: the DRAM tap, the stack engine and the monitor, in Migen for LiteX SoCs."""
