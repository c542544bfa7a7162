"""Proved steps as lemmas of Coq, whose kernel checks them without our checker."""
