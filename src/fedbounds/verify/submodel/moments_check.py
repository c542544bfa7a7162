"""Compare what was read off with real rounds: random states, masks and noises."""

from collections.abc import Callable
from typing import Any

import numpy as np

from fedbounds.algorithms.fedavg_p import Carry
from fedbounds.errors import FedboundsError

from .moments_drive import Driver, draws, zeros
from .moments_rounding import Sizes

Array = Any
Predict = Callable[[Array, Array, Array], Array]
_REPLICAS = 6


def check_rounds(
    driver: Driver,
    step: Callable[..., Any],
    predict: Predict,
    sizes: Sizes | None,
    masks: Array | None = None,
) -> None:
    """Raise unless ``step`` from c + x is c + the mean of what is predicted for the clients.

    Parameters
    ----------
    step : function
        That of the algorithm's module.
    predict : function of masks (n, R, d), states x (R, d) and noise (K, n, R, d)
        The clients' models minus c, shape (n, R, d).
    masks : bool array, shape (n, R, d), or None
        Those the algorithm can have; None: any.
    """
    n, d = driver.problem.linear.shape
    rng = np.random.Generator(np.random.SFC64(0))
    if masks is None:
        masks = rng.random((n, _REPLICAS, d)) < 0.5
    replicas, steps = masks.shape[1], driver.algorithm.local_steps
    x = zeros(driver, replicas, d) + rng.integers(-8, 9, (replicas, d)).astype(object)
    noise = zeros(driver, steps, n, replicas, d)
    if driver.problem.noise.scale_u != 0:
        noise = noise + rng.integers(-8, 9, noise.shape).astype(object)
    x, noise = (a.astype(driver.problem.hessian.dtype) for a in (x, noise))
    state = driver.centre + x
    carry = Carry(u=state, v=state[None, :, :0].repeat(n, axis=0))
    with np.errstate(over="ignore", invalid="ignore"):
        after = step(driver.problem, driver.algorithm, carry, draws(masks, noise)).u
        expected = driver.centre + predict(masks, x, noise).sum(axis=0) / n
        error = abs(after - expected)
        if sizes is None:
            allowed = error * 0
        else:
            reach = abs(x).max() + 8 * steps * sizes.own[:, :, :-1].max() + abs(driver.centre).max()
            allowed = 8 * sizes.unit * (sizes.own @ np.full(d + 1, 1.0 + reach)).max(axis=0)
        if (error > allowed).any():
            raise FedboundsError(
                f"a round of {type(driver.algorithm).__name__} is not what its responses say "
                f"(error {float(abs(error).max()):.3g}); exact moments do not apply"
            )
