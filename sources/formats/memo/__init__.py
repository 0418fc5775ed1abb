"""What the files of memo pipelines have in common: entries of source lists, citation definitions, statuses."""
