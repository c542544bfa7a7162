"""A user's own theorem: declared in a file, judged like a paper's."""
