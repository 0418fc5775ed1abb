"""What rests on what: entities, typed edges, and how they come to be written."""
