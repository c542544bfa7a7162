"""Every planted error, kind by kind."""

from . import (
    algorithm_errors,
    claim_errors,
    decision_errors,
    problem_errors,
    proof_errors,
    storage_errors,
)

CATALOGUE = (
    *algorithm_errors.PLANTED,
    *problem_errors.PLANTED,
    *claim_errors.PLANTED,
    *proof_errors.PLANTED,
    *decision_errors.PLANTED,
    *storage_errors.PLANTED,
)
