"""What claims call the algorithms."""

MEERKAT = ("Meerkat",)
EARLY_STOPPED = ("Meerkat-vp",)
SCORED = ("Meerkat, local steps with scores",)
FEWER_LABELS = ("Meerkat, local steps over label shares",)
SURE_MODEL = ("Meerkat, local steps over label shares, from a sure model",)
