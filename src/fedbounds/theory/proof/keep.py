"""Write the multipliers that a search finds for the proofs of a theory, to be kept beside them.

``python -m fedbounds.theory.proof.keep meerkat`` prints what ``proofs/multipliers.toml`` holds.
"""

import json
import sys
from collections.abc import Iterator, Sequence

from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import Statement, Step
from fedbounds.theory.checker.errors import Refused

from .language import Book
from .library import book_of
from .multipliers import Times, lacks, name_of, taken
from .replay import searched, whole_draft, without_idle


def found(book: Book) -> Iterator[tuple[str, tuple[Times, ...]]]:
    """The multipliers of every step that the search proves, under the name of the step."""
    earlier: dict[str, Statement] = {}
    for written in book.steps:
        if written.rule not in ("given", "unroll", "root"):  # none has multipliers to be found
            try:
                draft = whole_draft(book.theory, written)
                certificate = searched(book.theory, written, earlier)
                step = Step(written.id, written.statement, without_idle(certificate))
                check(book.theory, step, earlier)
            except Refused:
                pass
            else:
                if lacks(draft):
                    name = name_of(written.id, written.statement, draft, earlier)
                    yield name, taken(draft, certificate)
        earlier[written.id] = written.statement


def main(theories: Sequence[str]) -> int:
    """Print the file of a theory."""
    if len(theories) != 1:
        print("name a theory: python -m fedbounds.theory.proof.keep KEY", file=sys.stderr)
        return 2
    print(f"# Found by a search, checked at each replay: {__spec__.name} {theories[0]}")
    for name, times in found(book_of(theories[0])):
        print(f"{json.dumps(name)} = {json.dumps(times)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
