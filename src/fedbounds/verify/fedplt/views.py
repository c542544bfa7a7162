"""What else the analysis of FedPLT looks at: single clients, models not yet sent, dependent noise.

All are made of the outcomes of `outcomes`.
"""

from dataclasses import replace

import numpy as np

from fedbounds.algorithms.fedplt_rows import FedPLT
from fedbounds.errors import require
from fedbounds.problems import FederatedQuadratic, Start

from .driving import State, aggregate, one_round, one_step, rounds
from .kinds import largest, uniform
from .outcomes import SOURCES, Enumerated, enumerated

_OF_LOCAL_STEPS = ("Wk", "Wstar", "Ws", "gs", "ns", "Gs", "gap", "one")


def unsent_outcomes(
    problem: FederatedQuadratic, algorithm: FedPLT, start: Start, count: int, steps: int
) -> Enumerated:
    """The first ``steps`` local steps of round ``count - 1``, as `virtual_outcomes` has them.

    W0 is the model that the round started from, W and W_k are those after the steps, and local
    steps s are those done since. t counts local steps.
    """
    most = algorithm.local_steps
    require(1 <= steps < most, "local steps done", steps, f"at least 1 and less than {most}")
    *_, (state, _) = rounds(problem, [algorithm] * count, start)
    shorter = replace(algorithm, local_steps=steps)
    seen = one_round(problem, shorter, state)
    t = (count - 1) * most + steps
    found = enumerated(problem, shorter, state, seen, t)
    vectors = {name: found.space.vectors[name] for name in _OF_LOCAL_STEPS}
    vectors |= {"W0": found.space.vectors["W"], "W": found.space.vectors["Wn"]}
    return replace(found, space=replace(found.space, vectors=vectors))


def with_virtual_step(
    problem: FederatedQuadratic, algorithm: FedPLT, found: Enumerated
) -> Enumerated:
    """Of view R, with the step that the analysis takes from W^t and the W_k^{t,tau}.

    Its sample is the new source ``new``, and W1 = W^t - eta psi o sum_k c_k m_k o (g + noise).
    """
    space = found.space
    pasts, samples, n, _, d = space.vectors["Wk"].shape
    W = space.vectors["W"][:, :, 0, 0].reshape(-1, d)
    Wk = space.vectors["Wk"][:, :, :, 0].reshape(-1, n, d).transpose(1, 0, 2)
    seen = one_step(problem, algorithm, State(W, Wk, uniform(len(W), W)))
    after = aggregate(algorithm, seen, -algorithm.inner_step_u * seen.noisy[0]).u
    vectors = {name: array[..., None, :] for name, array in space.vectors.items()}
    vectors["W1"] = after.reshape(pasts, samples, 1, 1, -1, d)
    new = after.size // (pasts * samples * d)
    own = (seen.noisy - seen.exact).reshape(n, pasts, samples, new, d)
    vectors["noise"] = own.transpose(1, 2, 0, 3, 4)[:, :, :, None]  # of the new sample
    return Enumerated(
        replace(
            space,
            sources=(*SOURCES, "new"),
            weights=(*space.weights, uniform(new, after)),
            vectors=vectors,
            present=space.present[..., None, :],
            scale=max(space.scale, largest([after])),
        ),
        {name: array[..., None, :] for name, array in found.factors.items()},
    )


def of_client(found: Enumerated, client: int, past: int | None = None) -> Enumerated:
    """The same for one client, and after one outcome of the past."""
    space = found.space

    def cut(array: np.ndarray) -> np.ndarray:
        """A source that an array does not depend on may have length one."""
        for axis, at in ((0, past), (2, client)):
            if at is not None and array.shape[axis] > 1:
                array = array.take([at], axis=axis)
        return array

    one = uniform(1, space.weights[0])
    weights = (space.weights[0] if past is None else one, space.weights[1], one)
    return Enumerated(
        replace(
            space,
            weights=(*weights, *space.weights[3:]),
            vectors={name: cut(array) for name, array in space.vectors.items()},
        ),
        {name: cut(array) for name, array in found.factors.items()},
    )


def dependent(found: Enumerated) -> Enumerated:
    """The same with one noise for all clients, equal in law to that of each of them alone."""
    space = found.space
    same = np.flatnonzero((space.samples == space.samples[:, :1]).all(axis=(1, 2, 3)))
    vectors = {
        name: array.take(same, axis=1) if array.shape[1] > 1 else array
        for name, array in space.vectors.items()
    }
    past, _, *others = space.weights
    return replace(
        found,
        space=replace(
            space,
            weights=(past, uniform(len(same), past), *others),
            vectors=vectors,
            samples=space.samples[same],
        ),
    )
