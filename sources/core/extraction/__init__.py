"""Reading references out of a text: its shape, its blocks, the spans in them, and what stands around each."""
