"""Small instances, tightest instances, and witnesses: of any theory that says where to look."""
