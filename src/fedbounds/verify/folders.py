"""What a paper still has beside its theory: modules of a folder here, with the paper's name."""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from fedbounds.theory.catalogue import PAPERS


def module_of(paper: str, name: str) -> ModuleType | None:
    """The module of that name; None if the paper has none."""
    place = f"{__package__}.{paper}"
    if find_spec(place) is None or find_spec(f"{place}.{name}") is None:
        return None
    return import_module(f"{place}.{name}")


def modules(name: str) -> Iterator[ModuleType]:
    """Those of every paper that has one."""
    found = (module_of(paper, name) for paper in PAPERS)
    return (module for module in found if module is not None)
