"""Every small change of a theory's statements, and what tells each from the original."""
