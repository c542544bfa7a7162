"""Records, the folder they are kept in, and runs that make them."""
