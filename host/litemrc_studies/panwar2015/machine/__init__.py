"""Page allocators and the banks that they leave unused (Panwar 2015)."""
