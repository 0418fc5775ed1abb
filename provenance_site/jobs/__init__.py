"""Durable work: a job and its items, claimed by lease. The row is the truth; broker messages only wake workers."""
