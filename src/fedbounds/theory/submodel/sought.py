"""Where instances of the claims are searched."""

from . import sought_beside, sought_coupled, sought_points, sought_runs

SOUGHT = (
    *sought_points.SOUGHT,
    *sought_runs.SOUGHT,
    *sought_coupled.SOUGHT,
    *sought_beside.SOUGHT,
)
