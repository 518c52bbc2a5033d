"""The page filter between the queue and a stack engine."""
