"""Pure writers of what the lineage graph hands on."""
