"""Reports: HTML files that need nothing but themselves."""
