"""How much memory each process gets, from its miss-ratio curve."""
