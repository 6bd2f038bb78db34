"""Find the crash. Replay it in few taps. See why."""
