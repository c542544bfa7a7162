"""Changed certificates, by which two checkers are compared: seeded, one change in each.

A mutant is a small book: the statements that one step cites, without their certificates, and the
step. Where a given statement is changed, a step that cites it follows.
"""

import copy
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.expand import expanded
from fedbounds.theory.checker.files import hash_of, step_of, theory_of
from fedbounds.theory.checker.recheck import cited

Row = dict[str, Any]
Change = Callable[[random.Random, Row], bool]  # whether it changed anything
RELATIONS = ("<=", ">=", "==")
CHARTS = ("above", "below", "equal", "root", "scaled", "solve", "split", "integer")


@dataclass(frozen=True)
class Mutant:
    """A book with one change, of what kind and in which step."""

    kind: str
    step: str
    book: Row


def mutants(books: Mapping[str, Row], count: int, seed: int) -> Iterator[Mutant]:
    """``count`` mutants of books, every kind in turn.

    Parameters
    ----------
    books : mapping from a paper to its book, identities multiplied out or not
    """
    rng = random.Random(seed)
    kinds = sorted(CHANGES)
    made, papers = 0, sorted(books)
    while made < count:
        kind, book = kinds[made % len(kinds)], books[rng.choice(papers)]
        found = _mutant(rng, kind, book)
        if found is not None:
            made += 1
            yield found


def fresh(book: Row) -> Row:
    """The book, its identities multiplied out anew where that can be done, refused or not."""
    theory, steps, earlier = theory_of(book["theory"]), [], {}
    for row in book["steps"]:
        if row["certificate"] is not None:
            step = step_of(row)
            with suppress(Refused, AssertionError):  # what cannot be read is left as it was
                row = row | {"expanded": expanded(theory, step, earlier)}
        steps.append(row)
        earlier[row["id"]] = step_of(row | {"certificate": EMPTY}).statement
    return book | {"steps": steps}


EMPTY = {"rule": "none", "chart": [], "premises": [], "squares": [], "base": None}


def _mutant(rng: random.Random, kind: str, book: Row) -> Mutant | None:
    rows = [row for row in book["steps"] if _proved(row)]
    row = copy.deepcopy(rng.choice(rows))
    told = _told(book, row)
    theory = book["theory"]
    if kind == "given":
        givens = [one for one in told if one["statement"] and one["id"] in _givens(book)]
        if not givens:
            return None
        changed = _statement(rng, rng.choice(givens))
    elif kind == "theory":
        theory = copy.deepcopy(theory)
        changed = _theory(rng, theory, row, told)
    else:
        changed = CHANGES[kind](rng, row)
    if not changed:
        return None
    steps = [*told, row]
    data = book | {"theory": theory, "hash": hash_of(theory), "steps": steps}
    return Mutant(kind, row["id"], data)


def _proved(row: Row) -> bool:
    return row["certificate"] is not None and row["certificate"]["rule"] != "given"


def _givens(book: Row) -> set[str]:
    rules = ((row["id"], row["certificate"]) for row in book["steps"])
    return {name for name, one in rules if one is not None and one["rule"] == "given"}


def _told(book: Row, row: Row) -> list[Row]:
    """What a step cites, as statements alone, and one statement that it does not cite."""
    names = set(cited(step_of(row).certificate))
    found: dict[str, Row] = {}
    for other in book["steps"]:
        if other["id"] == row["id"]:
            break
        spare = not found and other["statement"]["scope"] == row["statement"]["scope"]
        if other["id"] in names or spare:
            plain = {k: v for k, v in other.items() if k != "expanded"}
            found.setdefault(other["id"], copy.deepcopy(plain) | {"certificate": None})
    return list(found.values())


def _parts(row: Row) -> list[Row]:
    certificate = row["certificate"]
    return [certificate] if certificate["base"] is None else [certificate, certificate["base"]]


def _texts(row: Row) -> list[tuple[Any, Any]]:
    """Every place of an expression: a container, and where in it."""
    places: list[tuple[Any, Any]] = [(row["statement"], "left"), (row["statement"], "right")]
    for part in _parts(row):
        for entry in (*part["premises"], *part["squares"]):
            places += [(entry["times"], number) for number in range(len(entry["times"]))]
            arguments = entry.get("arguments", ())
            places += [(arguments, number) for number in range(len(arguments))]
            places += [(entry, "vector")] if "vector" in entry else []
        places += [(one, "bound") for one in part["chart"]]
    return places


def _replaced(rng: random.Random, row: Row, pattern: str, other: Callable[[str], str]) -> bool:
    """One match of a pattern, in one expression of the step, is replaced."""
    places = [(a, b) for a, b in _texts(row) if re.search(pattern, a[b])]
    if not places:
        return False
    where, name = rng.choice(places)
    text = where[name]
    found = rng.choice(list(re.finditer(pattern, text)))
    where[name] = text[: found.start()] + other(found[0]) + text[found.end() :]
    return where[name] != text


def _coefficient(rng: random.Random, row: Row) -> bool:
    more = rng.choice((-1, 1, 1, 2))
    return _replaced(rng, row, r"(?<![\w])\d+", lambda one: str(max(0, int(one) + more)))


def _sign(rng: random.Random, row: Row) -> bool:
    if rng.random() < 0.3:
        statement = row["statement"]
        statement["relation"] = rng.choice([r for r in RELATIONS if r != statement["relation"]])
        return True
    return _replaced(rng, row, r"(?<=[\w)]) [+-] ", lambda one: " - " if "+" in one else " + ")


def _name(rng: random.Random, row: Row) -> bool:
    names = sorted({n for a, b in _texts(row) for n in re.findall(r"[A-Za-z]\w*", a[b])})
    return _replaced(rng, row, r"[A-Za-z]\w*", lambda _: rng.choice(names))


def _chart(rng: random.Random, row: Row) -> bool:
    charts = [part["chart"] for part in _parts(row) if part["chart"]]
    if not charts:
        return False
    chart = rng.choice(charts)
    at = rng.randrange(len(chart))
    match rng.randrange(4):
        case 0:
            del chart[at]
        case 1:
            kind = chart[at]["kind"]
            chart[at]["kind"] = rng.choice([one for one in CHARTS if one != kind])
        case 2:
            chart.append(chart.pop(at))
            return at < len(chart) - 1
        case _:
            chart[at]["bound"] = rng.choice((f"2*({chart[at]['bound']})", "1", "2", "T"))
    return True


def _condition(rng: random.Random, row: Row) -> bool:
    conditions = row["statement"]["conditions"]
    if not conditions:
        return False
    at = rng.randrange(len(conditions))
    match rng.randrange(3):
        case 0:
            del conditions[at]
        case 1:
            conditions[at][1] = rng.choice([r for r in RELATIONS if r != conditions[at][1]])
        case _:
            conditions[at][2] = f"2*({conditions[at][2]})"
    return True


def _assumption(rng: random.Random, row: Row) -> bool:
    statement = row["statement"]
    if statement["assumptions"] and rng.random() < 0.8:
        del statement["assumptions"][rng.randrange(len(statement["assumptions"]))]
    else:
        statement["algorithm"] = "another" if statement["algorithm"] else "one"
    return True


def _premise(rng: random.Random, row: Row) -> bool:
    parts = [part for part in _parts(row) if part["premises"]]
    if not parts:
        return False
    premises = rng.choice(parts)["premises"]
    at = rng.randrange(len(premises))
    match rng.randrange(5):
        case 0:
            del premises[at]
        case 1:
            premises[at]["times"] = ["0"]
        case 2:
            premises[at]["name"] = rng.choice(premises)["name"]
        case 3:
            premises[at]["kind"] = rng.choice(("step", "fact", "condition", "hypothesis"))
        case _:
            premises.append(copy.deepcopy(premises[at]))
    return True


def _square(rng: random.Random, row: Row) -> bool:
    parts = [part for part in _parts(row) if part["squares"]]
    if not parts:
        return False
    squares = rng.choice(parts)["squares"]
    at = rng.randrange(len(squares))
    if rng.random() < 0.5:
        del squares[at]
    else:
        squares[at]["times"] = [f"-({one})" for one in squares[at]["times"]]
    return True


def _index(rng: random.Random, row: Row) -> bool:
    parts = [part for part in _parts(row) if part["premises"]]
    if rng.random() < 0.2:
        row["statement"]["first"] = 1 - row["statement"]["first"]
        return True
    if not parts or rng.random() < 0.3:
        return _replaced(rng, row, r"\b[tk]( [+-] 1)?(?=[,)])", lambda one: rng.choice("tkT0"))
    premise = rng.choice(rng.choice(parts)["premises"])
    if rng.random() < 0.5:
        shift = rng.choice(("t - 1", "t + 1", "0", "1", "T", "T - 1", "2*t"))
        premise["at"] = [["t", shift]] if rng.random() < 0.7 else [["k", rng.choice("0k1")]]
    else:
        premise["over"] = rng.choice([o for o in ("", "t", "i", "ik") if o != premise["over"]])
    return True


def _rule(rng: random.Random, row: Row) -> bool:
    certificate = row["certificate"]
    rules = ("combine", "induction", "unroll", "root")
    match rng.randrange(3):
        case 0:
            certificate["rule"] = rng.choice([r for r in rules if r != certificate["rule"]])
        case 1:
            certificate["scope"] = "" if certificate["scope"] else row["statement"]["scope"]
            return certificate["scope"] != row["statement"]["scope"]
        case _:
            certificate["variable"] = {"t": "k", "k": "t"}.get(certificate["variable"], "t")
    return True


def _statement(rng: random.Random, row: Row) -> bool:
    """A given statement says something else."""
    statement = row["statement"]
    match rng.randrange(4):
        case 0:
            statement["relation"] = rng.choice([r for r in RELATIONS if r != statement["relation"]])
        case 1:
            statement["right"] = f"2*({statement['right']})"
        case 2:
            statement["assumptions"].append("one more")
        case _:
            statement["conditions"].append(["T", ">=", "2"])
    return True


def _theory(rng: random.Random, theory: Row, row: Row, told: Sequence[Row]) -> bool:
    """A sign, a dependence, or a vanishing mean is another."""
    scopes = [theory["scopes"][p["scope"]] for p in _parts(row) if p["scope"]]
    words = set(re.findall(r"\w+", str(told))) | set(re.findall(r"\w+", str(row)))

    def spoken(names: Iterable[str]) -> list[str]:
        return sorted(words & set(names)) or sorted(names)

    match rng.randrange(4 if scopes else 2):
        case 0:
            name = rng.choice(spoken(theory["quantities"]))
            theory["quantities"][name] = not theory["quantities"][name]
        case 1:
            name = rng.choice(spoken(theory["symbols"]))
            signs = ("positive", "nonnegative", "integer")
            theory["symbols"][name] = rng.choice(signs)
        case 2:
            atoms = {atom[0]: atom for atom in scopes[0]["atoms"]}
            atom = atoms[rng.choice(spoken(atoms))]
            if not scopes[0]["sources"]:
                return False
            source = rng.choice(scopes[0]["sources"])
            depends = set(atom[1]) ^ {source}
            atom[1] = [one for one in scopes[0]["sources"] if one in depends]
        case _:
            lists: Sequence[str] = ("centred", "derived", "needs", "noises", "differences")
            found = [scopes[0][name] for name in lists if scopes[0][name]]
            if not found:
                return False
            rows = rng.choice(found)
            del rows[rng.randrange(len(rows))]
    return True


CHANGES: dict[str, Change] = {
    "assumption": _assumption,
    "chart": _chart,
    "coefficient": _coefficient,
    "condition": _condition,
    "given": _statement,
    "index": _index,
    "name": _name,
    "premise": _premise,
    "rule": _rule,
    "sign": _sign,
    "square": _square,
    "theory": lambda rng, row: False,  # of the theory, not of a step: see `_mutant`
}
