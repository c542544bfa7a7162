"""Which names are taken for one another: what a misprint, or a slip of a proof, puts in place.

What every theory may use is here; a theory has more in ``neighbours.py`` of its folder, as
``NEIGHBOURS``: of each pair either name takes the other's place, and a name with a number has that
number added to it.
"""

Neighbours = tuple[tuple[str, str | int], ...]

COMMON: Neighbours = (
    ("n", "m"),
    ("K", -1),
    ("T", 1),
    ("tau", -1),
    ("d_u", "d_v"),
    ("gamma_u", "gamma_v"),
    ("eta_u", "eta_v"),
    ("sigma_u^2", "sigma_v^2"),
    ("G_u", "G_v"),
    ("Du_2", "Dv_2"),
)
