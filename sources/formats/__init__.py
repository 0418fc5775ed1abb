"""Readers and writers of the files that other tools use: one file a format, pure, and one explicit list (`readers`)."""
