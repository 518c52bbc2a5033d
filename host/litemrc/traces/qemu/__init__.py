"""Programs in QEMU, observed by the plugin of `native/qemu`."""
