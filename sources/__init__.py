"""The registry of record: sources, versions, projects, checks, review, imports and exports."""
