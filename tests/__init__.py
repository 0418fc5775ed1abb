"""The test suite. `make test` runs it whole; CONTRIBUTING.md says which part runs where."""
