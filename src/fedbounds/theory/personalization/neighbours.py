"""Names of this paper that are taken for one another; see the language's `neighbours`."""

NEIGHBOURS = (
    ("T_1u", "T_1v"),
    ("T_2u", "T_2v"),
    ("T_3u", "S_3u"),
    ("X_u", "X_v"),
    ("M_u", "M_v"),
    ("I_u", "I_v"),
    ("J_u", "J_v"),
    ("g_ui", "g_vi"),
    ("Eu_ik", "Ev_ik"),
    ("A_ik", "Bt_ik"),
    ("A_old", "Bt_old"),
    ("A_new", "Bt_new"),
    ("U_ik", "V_ik"),
    ("W_own", "W_mean"),
)
