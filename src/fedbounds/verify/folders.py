"""What a paper still has beside its theory: modules of a folder here, with the paper's name.

So have theories of one's own, in ``own``.
"""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from fedbounds.theory.catalogue import PAPERS


def module_of(folder: str, name: str) -> ModuleType | None:
    """The module of that name; None if there is none."""
    place = f"{__package__}.{folder}"
    if find_spec(place) is None or find_spec(f"{place}.{name}") is None:
        return None
    return import_module(f"{place}.{name}")


def modules(name: str) -> Iterator[ModuleType]:
    """Those of every paper that has one, and of theories of one's own."""
    found = (module_of(folder, name) for folder in ("own", *PAPERS))
    return (module for module in found if module is not None)
