"""Which names stand in the code of a user's function, and of what it calls."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any


def names_in(function: Any) -> frozenset[str]:
    """Names and texts in its code, in that of functions of its file, and of what it wraps or holds.

    No more than what is there: a name that is put together while it runs is not seen.
    """
    pending, seen, found = [function], set[int](), set[str]()
    while pending:
        own = pending.pop()
        if id(own) in seen:
            continue
        seen.add(id(own))
        if isinstance(own, FunctionType):
            names = set(_of_code(own.__code__))
            found |= names
            held = (cell.cell_contents for cell in own.__closure__ or ())
            pending += [*(own.__globals__.get(name) for name in names), *held]
            pending += [*(own.__defaults__ or ()), *(own.__kwdefaults__ or {}).values()]
        elif isinstance(own, partial):
            pending += [own.func, *own.args, *own.keywords.values()]
        elif isinstance(own, MethodType):
            pending += [own.__func__, own.__self__]
        else:
            pending += _inside(own)
    return frozenset(found)


def _inside(own: Any) -> Iterable[Any]:
    if isinstance(own, Mapping):
        return list(own.values())
    if isinstance(own, list | tuple | set | frozenset):
        return list(own)
    called = vars(type(own)).get("__call__")  # of an object that is called as a function
    return [x for x in (getattr(own, "__wrapped__", None), called) if x is not None]


def _of_code(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _of_code(inner)
        elif isinstance(inner, str):  # of getattr
            yield inner
