"""Federated averaging of over-parameterised networks under partial participation."""
