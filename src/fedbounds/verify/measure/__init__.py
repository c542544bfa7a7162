"""Ways of knowing a number: an algorithm is traced, and each method answers or says why not."""
