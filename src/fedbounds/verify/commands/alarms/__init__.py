"""Whether what is proved is ever said to be violated, on instances drawn by a seed."""
