"""What is shown beside claims of experiments: estimates, and no verdict rests on them."""

from .contests import LOSSES, RATES

SHOWN = {"overparam/exp-1": LOSSES, "overparam/exp-2": RATES}
