"""`python -m litemrc_gateware.export`."""

from litemrc_gateware.export.registers import main

main()
