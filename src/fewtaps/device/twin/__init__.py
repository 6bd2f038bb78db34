"""The twin: an embedded Android that runs an app inside a JVM, inside a jail."""
