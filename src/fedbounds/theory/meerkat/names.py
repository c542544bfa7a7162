"""What claims call the algorithms."""

MEERKAT = ("Meerkat",)
EARLY_STOPPED = ("Meerkat-vp",)
SCORED = ("Meerkat, local steps with scores",)
FEWER_LABELS = ("Meerkat ladder in labels",)
SURE_MODEL = ("Meerkat ladder in labels, from a sure model",)
