"""What claims call the algorithms."""

MEERKAT = ("Meerkat",)
EARLY_STOPPED = ("Meerkat-vp",)
