"""The worst case is asked of runs of FedAvg-P."""

from fedbounds.theory.language.worst_cases import WorstCases

from .contenders import PARAMETERS
from .lemmas import FEDAVG_P

WORST_CASES = WorstCases(FEDAVG_P, "rounds", PARAMETERS)
