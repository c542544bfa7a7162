"""Runs on quadratics of several clients and coordinates, whose moments are followed in floats."""

from fedbounds.theory.language.setups import Objective, Run, Setup

VIEWS = {"FedAvg-P": "rounds", "Scaffold-P": "Scaffold-P, rounds"}


def run(n=5, m=2, K=3, d_u=3, d_v=2, rounds=6, steps=("1/24", "1/16", "3/2", "5/4"), noise="1/4"):
    """With coupled blocks, curvatures and slopes of each client's own."""
    d = d_u + d_v
    hessians = [
        [[2 + (i + a) % 3 if a == b else f"{(-1) ** (i + a + b)}/{4 + (i + a + b) % 3}"
          for b in range(d)] for a in range(d)] for i in range(n)
    ]  # fmt: skip
    slopes = [[f"{(3 * i + 5 * a) % 7 - 3}/4" for a in range(d)] for i in range(n)]
    data = {"hessians": hessians, "slopes": slopes, "personal": d_v}
    data |= {"noise": noise, "personal_noise": noise if d_v else 0}
    start = [f"{(2 * a) % 5 - 2}/2" for a in range(d_u + n * d_v)]
    parameters = dict(zip(("gamma_u", "gamma_v", "eta_u", "eta_v"), steps, strict=True))
    return Run(
        Objective("quadratics", tuple(data.items())),
        start,
        tuple({"cohort": m, "K": K, **parameters}.items()),
        rounds,
    )


def setup(view, **sizes):
    """In a view of personalization."""
    return Setup("personalization", view, run(**sizes))
