"""What runs on the tray machine: programs as streams of events, made from seeds."""
