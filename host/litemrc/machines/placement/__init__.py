"""Page allocators and the banks they leave unused (Panwar 2015)."""
