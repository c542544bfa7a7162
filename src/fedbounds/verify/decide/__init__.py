"""A part of a claim on numbers: inside its conditions or not, and its verdict."""
