"""Names of this paper that are taken for one another; see the language's `neighbours`."""

NEIGHBOURS = (
    ("psi_max", "psi_min"),
    ("psi_sup", "psi_inf"),
    ("rho_k", "rho_min"),
    ("Gamma", "Gamma_2"),
    ("norm_x", "norm_y"),
    ("cos_1", "cos_2"),
    ("cos_g", "cos_m"),
    ("F_loc", "F_opt"),
    ("F_att", "F_raw"),
    ("F_glob", "F_gatt"),
    ("F_own", "F_bar"),
)
