"""One module per stage, wiring devices, files, the store and values; the folder to read first."""
