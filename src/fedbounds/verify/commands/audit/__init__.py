"""What a person has to read to trust that an encoding says what its paper says."""
