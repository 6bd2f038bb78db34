"""A session shown to adb as a device: transport, services, a small shell, and the agents of other tools."""
