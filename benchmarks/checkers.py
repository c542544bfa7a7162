"""Both checkers of certificates on every step of all papers, and on mutants; see CHECKERS.md."""

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fedbounds import second_checker
from fedbounds.theory.checker import check
from fedbounds.theory.checker.recheck import multiplied_out, refusals
from fedbounds.theory.proof.library import book_of, certificates, papers

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from certificate_mutants import fresh, mutants

Book = Mapping[str, Any]
Answers = tuple[bool, bool]  # whether the first, and the second, accepts
COLUMNS = {
    (True, True): "both accept",
    (False, False): "both refuse",
    (True, False): "first alone accepts",
    (False, True): "second alone accepts",
}


def second(book: Book) -> dict[str, str]:
    """Steps that the second checker refuses, and why."""
    return {name: why for name, why in second_checker.answers(dict(book)) if why}


def made(paper: str) -> Book:
    """The book of a paper, multiplied out, read from text."""
    claims = {row.claim for row in book_of(paper).steps}
    found: Book = json.loads(json.dumps(multiplied_out(certificates(paper, claims))))
    return found


def of_steps(book: Book) -> Counter[Answers]:
    """What both say of each step that has a certificate."""
    first, other = refusals(book), second(book)
    rows = [row["id"] for row in book["steps"] if row["certificate"] is not None]
    return Counter((name not in first, name not in other) for name in rows)


def of_mutants(books: Mapping[str, Book], count: int, seed: int) -> dict[str, Counter[Answers]]:
    """What both say of mutants, by kind; a disagreement is printed."""
    found: dict[str, Counter[Answers]] = {}
    for one in mutants({name: dict(book) for name, book in books.items()}, count, seed):
        book = fresh(one.book)
        first, other = refusals(book).get(one.step, ""), second(book).get(one.step, "")
        found.setdefault(one.kind, Counter())[not first, not other] += 1
        if bool(first) is not bool(other):
            print(f"{one.kind} of {one.step}: first {first!r}, second {other!r}")
    return found


def table(name: str, rows: Iterable[tuple[str, Counter[Answers]]]) -> list[str]:
    """A Markdown table of counts, with their sum."""
    every = dict(sorted(rows))
    every |= {"all": sum(every.values(), Counter())}
    lines = [f"| {name} | {' | '.join(COLUMNS.values())} |", f"|---|{'---:|' * len(COLUMNS)}"]
    for row, counts in every.items():
        lines.append(f"| {row} | {' | '.join(str(counts[x]) for x in COLUMNS)} |")
    return [*lines, ""]


def digest(*paths: Path) -> str:
    """A hash of files."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def report(count: int, seed: int) -> str:
    """The page of both tables."""
    books = {paper: made(paper) for paper in papers()}
    start = time.process_time()
    for book in books.values():
        second(book)
    taken = time.process_time() - start
    theories = ", ".join(f"{paper} `{book['hash'][:16]}`" for paper, book in books.items())
    first = digest(*sorted(Path(check.__file__).parent.glob("*.py")))
    text = [
        "# Two checkers of certificates",
        "",
        f"`python -m benchmarks.checkers --count {count} --seed {seed}`; first checker `{first}`, "
        f"second `{digest(Path(second_checker.__file__))}`; theories {theories}.",
        "",
        f"Every step with a certificate; the second takes {taken:.0f} s of a processor for all.",
        "",
        *table("paper", ((paper, of_steps(book)) for paper, book in books.items())),
        f"{count} mutants of these steps, one change in each, multiplied out anew by the first.",
        "",
        *table("change", of_mutants(books, count, seed).items()),
    ]
    return "\n".join(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.checkers", description=__doc__)
    parser.add_argument("--count", type=int, default=2400)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    page = report(options.count, options.seed)
    Path(__file__).with_name("CHECKERS.md").write_text(page, encoding="utf-8")
    print(page)
