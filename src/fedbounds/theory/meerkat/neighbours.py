"""Names of this paper that are taken for one another; see the language's `neighbours`."""

NEIGHBOURS = (
    ("K_g", "K_b"),
    ("c_m", "c_h"),
    ("c_m", "c_m2"),
    ("u_m", "u_2"),
    ("u_ratio", "u_ratio2"),
    ("g_k2", "mg_k2"),
    ("G_f", "M_f"),
    ("X_est", "X_mask"),
    ("X_g", "X_b"),
    ("X_ge", "X_be"),
    ("g_g", "g_b"),
    ("est_m", "est_g"),
    ("drift", "drift_g"),
    ("pre_2", "pre_m2"),
    ("falls_1", "falls_2"),
    ("bytes_value", "bytes_seed"),
)
