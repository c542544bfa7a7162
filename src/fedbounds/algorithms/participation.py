"""Who takes part in a round: m of n clients, uniformly, without replacement."""

from fractions import Fraction
from itertools import combinations

import numpy as np

from fedbounds.errors import require


def check_participants(participants: int, clients: int) -> None:
    """Raise unless 1 <= m <= n."""
    require(
        1 <= participants <= clients,
        "participants m",
        participants,
        f"between 1 and the number of clients n = {clients}",
    )


def draw_participants(
    rng: np.random.Generator, clients: int, participants: int, replicas: int
) -> np.ndarray:
    """Indicators of the participants, shape (n, R), float64 0/1, m ones in each column."""
    if participants == clients:
        return np.ones((clients, replicas))
    order = np.argsort(rng.random((clients, replicas)), axis=0)
    present = np.zeros((clients, replicas))
    np.put_along_axis(present, order[:participants], 1.0, axis=0)
    return present


def all_participants(clients: int, participants: int) -> np.ndarray:
    """Every set of participants once, as indicators of shape (n, number of sets)."""
    sets = list(combinations(range(clients), participants))
    present = np.zeros((clients, len(sets)))
    for column, chosen in enumerate(sets):
        present[list(chosen), column] = 1.0
    return present


def inclusion(clients: int, participants: int) -> tuple[Fraction, Fraction]:
    """P(i in S) = m/n and P(i and j in S) = m(m-1)/(n(n-1)) for i != j (0 if n = 1)."""
    n, m = clients, participants
    pair = Fraction(m * (m - 1), n * (n - 1)) if n > 1 else Fraction(0)
    return Fraction(m, n), pair
