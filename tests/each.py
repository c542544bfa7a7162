"""One test of many items: all that fails is named, and there must be none.

An item of its own costs pytest more than most checks of a claim or of a step take. A check of
thousands is therefore one test, which goes through them when it runs: nothing is built before.
"""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

SHOWN = 40  # failures of one test


def each(
    names: str,
    items: Iterable[Any] | Callable[[], Iterable[Any]],
    told: Callable[[Any], object] = repr,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call a test for every item, as `pytest.mark.parametrize` does, inside one test.

    ``names`` are arguments of the test, filled by an item or, if there are several, by its
    entries. ``items`` is what to go through, or what makes it; ``told`` names one in the message.
    Fixtures of the test are those of all its items together.
    """
    wanted = names.replace(",", " ").split()

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @wraps(test, updated=())
        def every(**fixtures: Any) -> None:
            found = list(items() if callable(items) and not isinstance(items, type) else items)
            assert found, f"nothing to try as {names}"
            bad, first = [], None
            for item in found:
                values = (item,) if len(wanted) == 1 else item
                try:
                    test(**dict(zip(wanted, values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    first = first or error
                    bad.append(f"{told(item)!s:.200}: {type(error).__name__}: {error}")
            if bad:
                message = "\n".join([f"{len(bad)} of {len(found)} fail", *bad[:SHOWN]])
                raise AssertionError(message) from first

        others = [p for p in signature.parameters.values() if p.name not in wanted]
        every.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        every.pytestmark = list(getattr(test, "pytestmark", ()))  # type: ignore[attr-defined]
        return every

    return decorated
