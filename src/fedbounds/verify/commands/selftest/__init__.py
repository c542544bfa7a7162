"""Known errors, planted on purpose, and the check of this suite that catches each."""
