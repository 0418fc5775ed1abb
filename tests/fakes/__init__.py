"""Stand-ins for the outside world. Those that implement a port are held to the adapters by `tests/contracts/`."""
