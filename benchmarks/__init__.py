"""Speed and memory of fedbounds; `python -m benchmarks` prints the table in about a minute."""
