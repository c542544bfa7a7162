"""How many instances a second the hypothesis strategies draw."""

from collections.abc import Iterator
from time import perf_counter

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fedbounds import strategies

from .workloads import Row

COUNT = 300


def rate(drawn: st.SearchStrategy[object]) -> float:
    """Instances drawn a second, shrinking aside."""
    seen = []

    @settings(
        max_examples=COUNT,
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn)
    def draw(one: object) -> None:
        seen.append(one)

    begun = perf_counter()
    draw()
    return len(seen) / (perf_counter() - begun)


def rows() -> Iterator[Row]:
    """Problems of every family, exact problems, and instances of two theorems."""
    kinds = {
        "problems of every family": strategies.problems(personal_dimension=(0, 1)),
        "exact problems": strategies.problems(exact=True, personal_dimension=(0, 1)),
        "instances of personalization/thm-3.7": strategies.instances("personalization/thm-3.7"),
        "instances of personalization/thm-4.5": strategies.instances("personalization/thm-4.5"),
    }
    for name, drawn in kinds.items():
        yield Row(f"strategies: {name}", rate(drawn), "a second", "at least 100")
