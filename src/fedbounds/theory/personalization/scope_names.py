"""What vectors of proofs speak of beside rounds."""

from .proofs.scopes import FEDAVG, INCREMENTS

ITERATES, CLIENT = f"iterates of {FEDAVG}", f"client of {FEDAVG}"
ANY_CLIENT = f"client of {INCREMENTS}"
STEP, CLIENT_STEP = f"step of {FEDAVG}", f"client's step of {FEDAVG}"
