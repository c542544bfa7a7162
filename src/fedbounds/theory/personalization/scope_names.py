"""What vectors of proofs speak of beside rounds."""

from .proofs.scopes import FEDAVG, INCREMENTS, SCAFFOLD

ITERATES, CLIENT = f"iterates of {FEDAVG}", f"client of {FEDAVG}"
ANY_CLIENT = f"client of {INCREMENTS}"
STEP, CLIENT_STEP = f"step of {FEDAVG}", f"client's step of {FEDAVG}"
OF_SCAFFOLD = {
    name: f"{name} of {SCAFFOLD}"
    for name in ("iterates", "client", "step", "memory", "client and memory")
}
