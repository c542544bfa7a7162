"""Names of this paper that are taken for one another; see the language's `neighbours`."""

NEIGHBOURS = (
    ("depth", -1),
    ("width", "samples"),
    ("s_min2", "s_max2"),
    ("P_min", "P_max"),
    ("lam", "lam_max"),
    ("x_min2", "x_max2"),
    ("S_least", "S_most"),
    ("log_rank", "log_depth"),
    ("log_samples", "log_width"),
    ("C_w", "C_o"),
    ("W_low", "W_high"),
    ("D_first", "D_last"),
    ("P_S_low", "P_S_high"),
    ("own_min", "own_max"),
    ("A_3", "A_3p"),
    ("N_first", "N_last"),
)
