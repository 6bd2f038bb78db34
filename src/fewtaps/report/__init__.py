"""What a person or another program reads: files made from the store."""
