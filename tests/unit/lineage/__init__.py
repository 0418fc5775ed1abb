"""The graph of what rests on what."""
