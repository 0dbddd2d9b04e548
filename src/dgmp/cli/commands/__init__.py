"""One file per command: it parses, calls one task and prints."""
