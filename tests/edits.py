"""Files that a stranger edited: every field of a JSON document, replaced by what does not belong."""

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

Path = tuple[Any, ...]
CODE = "__import__('os').system('touch ran')"

# JSON text that stands for a value that Python would not write itself
_RAW = {
    "@deep": "[" * 1000 + "]" * 1000,
    "@deeper": "[" * 100_000 + "]" * 100_000,
    "@1e400": "1e400",
    "@nan": "NaN",
    "@digits": "9" * 5000,
}
VALUES: dict[str, Any] = {
    "null": None,
    "true": True,
    "empty text": "",
    "empty list": [],
    "empty object": {},
    "a list": [1, [2]],
    "an object": {"type": "builtins:object", "fields": {}},
    "0": 0,
    "-1": -1,
    "2": 2,
    "1000": 1000,
    "10^9": 10**9,
    "10^30": 10**30,
    "1/2": "1/2",
    "-1/2": "-1/2",
    "a tiny number": "1/" + "9" * 60,
    "1/0": "1/0",
    "half": 0.5,
    "infinity": "inf",
    "not a number": "nan",
    "word": "other",
    "code": CODE,
    "surrogate": "\ud800",
    "5000 digits": "9" * 5000,
    "a fraction of 5000 digits": "1/" + "7" * 5000,
    "a tagged number": {"rational": "-7/3"},
    "a tagged tuple": {"tuple": []},
    "a tagged array": {"array": [], "shape": [0], "dtype": "|O"},
    "a huge array": {"array": [], "shape": [10**9, 10**9, 0], "dtype": "|O"},
    "another class": {"type": "pathlib:Path", "fields": {}},
    **{f"raw {name[1:]}": name for name in _RAW},
}


class Edit(NamedTuple):
    """One field of a document, changed.

    ``path`` and ``what`` say where and how, ``text`` is the document as JSON.
    """

    path: str
    what: str
    text: str


def every_edit(document: Any) -> Iterator[Edit]:
    """All edits of all fields: replaced, left out, given twice, and lists of other lengths."""
    for path in _paths(document):
        for what in _kinds(document, path):
            yield _edited(document, path, what)


def some_edits(document: Any, random: Random, count: int) -> Iterator[Edit]:
    """So many of all edits, or all if there are not as many."""
    every = [(path, what) for path in _paths(document) for what in _kinds(document, path)]
    for path, what in random.sample(every, min(count, len(every))):
        yield _edited(document, path, what)


def _paths(document: Any, above: Path = ()) -> Iterator[Path]:
    items: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(document, dict):
        items = iter(document.items())
    elif isinstance(document, list):
        items = iter(enumerate(document))
    for key, value in items:
        yield (*above, key)
        yield from _paths(value, (*above, key))


def _kinds(document: Any, path: Path) -> list[str]:
    """How the field there can be edited; a value that it has already is none."""
    value = _inside(document, path)
    found = [what for what, other in VALUES.items() if json.dumps(other) != json.dumps(value)]
    found.append("left out")
    if isinstance(path[-1], str):
        found += ["twice", "renamed"]
    else:
        found.append("doubled")
    if isinstance(value, list) and len(value) > 1:
        found += ["reversed", "first alone"]
    return found


def _inside(document: Any, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


def _edited(document: Any, path: Path, what: str) -> Edit:
    changed = copy.deepcopy(document)
    above, key = _inside(changed, path[:-1]), path[-1]
    value = above[key]
    if what in VALUES:
        above[key] = VALUES[what]
    elif what == "left out":
        del above[key]
    elif what == "twice":
        above[f"{key}@twice"] = 10**9
    elif what == "renamed":
        above[f"{key}s"] = above.pop(key)
    elif what == "doubled":
        above.insert(key, value)
    elif what == "reversed":
        value.reverse()
    elif what == "first alone":
        del value[1:]
    text = json.dumps(changed).replace('@twice"', '"')
    for name, raw in _RAW.items():
        text = text.replace(json.dumps(name), raw)
    return Edit(".".join(map(str, path)), what, text)
