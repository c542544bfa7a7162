"""Laws of masks: fixed, with independent coordinates, and windows that roll."""

import numpy as np
from flint import fmpq
from hypothesis import strategies as st

from fedbounds.algorithms.masks import window_masks
from fedbounds.errors import unknown_name
from fedbounds.problems import Bernoulli, Rolling
from fedbounds.problems.masked_laws import Law, static

from .ranges import Range, bounds_of, counts

KINDS = ("fixed", "independent", "windows")


@st.composite
def mask_laws(
    draw: st.DrawFn,
    clients: Range = (1, 3),
    dimension: Range = (1, 3),
    *,
    kinds: tuple[str, ...] = KINDS,
) -> Law:
    """`Bernoulli` masks of rational chances, or `Rolling` ones: fixed masks and cyclic windows.

    Every coordinate is held by every client with a positive probability, but for fixed masks,
    where each client holds at least one coordinate.

    Parameters
    ----------
    clients, dimension : int or (int, int)
        n and d, or their least and largest values.
    kinds : tuple of "fixed", "independent", "windows"

    Raises
    ------
    FedboundsError
        If a range is empty, or a kind unknown.
    """
    for one in kinds:
        if one not in KINDS:
            raise unknown_name("kind of mask law", one, KINDS)
    spans = bounds_of("clients", clients), bounds_of("dimension", dimension)
    n, d = (draw(counts(span)) for span in spans)
    kind = draw(st.sampled_from(kinds))
    if kind == "independent":
        quarters = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
        return Bernoulli(tuple(fmpq(5 - x, 4) for x in quarters))  # simplest: the full model
    if kind == "windows":
        return Rolling([window_masks(d, draw(st.integers(1, d)))] * n)
    held = np.zeros((n, d), dtype=np.int64)
    for own in held:
        own[sorted(draw(st.sets(st.integers(0, d - 1), min_size=1)))] = 1
    return static(held)
