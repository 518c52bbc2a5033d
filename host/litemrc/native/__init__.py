"""The native core: engines in C++ that turn a trace of page numbers into miss ratio curves."""
