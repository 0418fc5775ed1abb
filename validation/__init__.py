"""Asks the outside world about a source: fetch, sniff, classify, find a witness, recover."""
