"""What comes from outside: events are taken in whole, once, in any order."""
