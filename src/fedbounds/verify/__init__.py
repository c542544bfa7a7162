"""Puts them together: measure, decide, search, store, report, command line."""
