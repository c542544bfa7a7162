"""How rolling masks roll: which of the claims' modes a table of masks and an order are."""

from fedbounds.algorithms.masks import window_masks
from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems import Evidence
from fedbounds.vocabulary import Assumption

Masks = tuple[tuple[int, ...], ...]
_WHY = "computed from the masks and the algorithm"


def mode_evidence(algorithm: RollingMasks) -> dict[Assumption, Evidence]:
    """The order, the projection and the mode; a single client or sub-model has either order."""
    masks, n, epoch = algorithm.masks, algorithm.participants, algorithm.epoch
    alone = n == 1 or epoch == 1
    shared, own = algorithm.shared_order or alone, not algorithm.shared_order or alone
    split = all(is_partition(each) for each in masks)
    one, alike = len(set(masks)) == 1, len({frozenset(each) for each in masks}) == 1
    facts = {
        Assumption.SHARED_ORDER: shared,
        Assumption.OWN_ORDERS: own,
        Assumption.EPOCH_PROJECTION: algorithm.domain is None
        or not algorithm.project_each_round
        or epoch == 1,
        Assumption.WHOLE_EPOCHS: True,
        Assumption.SHARED_PARTITION: split and shared and one,
        Assumption.OWN_PERMUTATIONS: split and own and one,
        Assumption.OWN_PARTITIONS: split and shared and not alike,
        Assumption.OVERLAPPING_WINDOWS: shared and all(map(_overlapping_windows, masks)),
    }
    return {name: Evidence(bool(holds), _WHY) for name, holds in facts.items()}


def is_partition(own: Masks) -> bool:
    """Whether sub-models are disjoint, hold every coordinate, and none is empty."""
    disjoint = all(sum(column) == 1 for column in zip(*own, strict=True))
    return disjoint and all(any(mask) for mask in own)


def _overlapping_windows(own: Masks) -> bool:
    """Whether sub-models are the cyclic windows of one width, more than 1 and not all, in turn."""
    d, width = len(own[0]), sum(own[0])
    return 1 < width < d and sorted(own) == sorted(window_masks(d, width))
