"""The worst case over all functions: a semidefinite program, solved by PEPit, certified exactly."""
