"""Laws that federated algorithms obey, as assertions on anybody's code.

Give a law a plain function; it is called on a few small inputs, and the first one that breaks the
law comes back as `LawBroken`, an ``AssertionError`` with both sides and the counterexample. Nothing
is known of the function but its arguments:

- ``aggregate(vectors, participants) -> vector``
- ``round_(x, participants, local_steps, step_size, gradient) -> x``
- ``round_(x, controls, control, participants, local_steps, step_size, gradient)
  -> (x, controls, control)`` with control variates
- ``local(x, mask, local_steps, step_size, gradient) -> x`` with a mask
- ``aggregate(x, vectors, masks) -> x`` with masks

Code with another signature is put under test through a lambda: indicators instead of client
numbers, a list of models instead of an array, another name or sign.

Examples
--------
>>> import numpy as np
>>> def server(models, weights):  # somebody's: a list of models, a 0/1 weight for each client
...     return sum(w * model for w, model in zip(weights, models, strict=True)) / sum(weights)
>>> from fedbounds import laws
>>> laws.unbiased_aggregation(
...     lambda vectors, chosen: server(list(vectors), np.isin(np.arange(len(vectors)), chosen))
... )
>>> def wrong(vectors, chosen):
...     return vectors[list(chosen)].sum(axis=0) / len(vectors)
>>> try:
...     laws.unbiased_aggregation(wrong, n=2, m=1, dimension=1)
... except laws.LawBroken as broken:
...     print(broken)
unbiased aggregation: the mean over all sets of participants is the aggregate of all clients
broken at vectors = [[1], [0]], n = 2, m = 1: left[0] = 0.25, right[0] = 0.5
"""

from fedbounds.laws.aggregation import (
    aggregation_ignores_absent,
    aggregation_ignores_names,
    unbiased_aggregation,
)
from fedbounds.laws.base import Law, LawBroken, agree
from fedbounds.laws.controls import (
    absent_controls_stay,
    control_is_the_mean,
    corrected_steps_descend,
    rests_at_the_solution,
)
from fedbounds.laws.masks import (
    aggregation_ignores_masked,
    local_steps_keep_masked,
    untrained_coordinates_stay,
)
from fedbounds.laws.purity import deterministic, keeps_inputs, keeps_shape
from fedbounds.laws.rounds import (
    reduces_to_sgd,
    round_ignores_absent,
    round_ignores_names,
    takes_all_local_steps,
)

__all__ = [
    "Law",
    "LawBroken",
    "absent_controls_stay",
    "aggregation_ignores_absent",
    "aggregation_ignores_masked",
    "aggregation_ignores_names",
    "agree",
    "control_is_the_mean",
    "corrected_steps_descend",
    "deterministic",
    "keeps_inputs",
    "keeps_shape",
    "local_steps_keep_masked",
    "reduces_to_sgd",
    "rests_at_the_solution",
    "round_ignores_absent",
    "round_ignores_names",
    "takes_all_local_steps",
    "unbiased_aggregation",
    "untrained_coordinates_stay",
]
