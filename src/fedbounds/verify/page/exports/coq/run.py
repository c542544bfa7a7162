"""Coq reads the files: which lemmas it accepts, and which axioms they rest on."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from fedbounds.errors import FedboundsError

from ....results.files import write_text
from .book import PER_FILE, Book, files, general, lemmas_text
from .lemma import Lemma
from .planted import Planted, interactive

ACCEPTED, REFUSED, LATE = "accepted", "refused", "out of time"
# What Coq's own real numbers rest on; a lemma that rests on more is refused.
AXIOMS = frozenset(
    {
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
_AXIOM = re.compile(r"^([A-Za-z_][\w.']*)(?= :|\s*$)", re.MULTILINE)
_MISSING = "coqc is not installed: `apt-get install coq` has it on Debian"
_TOGETHER = 240  # seconds for a file of many lemmas, before each is read by itself
_ALONE = 150
_SESSION = 500
_UNKNOWN = re.compile(r"The reference\s+(\w+)\s+was\s+not\s+found")


@dataclass(frozen=True)
class Verdict:
    """What Coq says of a lemma.

    Attributes
    ----------
    name, step : str
    verdict : "accepted", "refused" or "out of time"
    told : str
        Its message, if it is not accepted.
    """

    name: str
    step: str
    verdict: str
    told: str = ""


def require_coq() -> str:
    """The path of coqc.

    Raises
    ------
    FedboundsError
        If it is missing.
    """
    found = shutil.which("coqc")
    if found is None:
        raise FedboundsError(_MISSING)
    return found


def version() -> str:
    """What coqc calls itself."""
    told = subprocess.run([require_coq(), "--version"], capture_output=True, text=True, check=True)
    return told.stdout.splitlines()[0].removeprefix("The ").replace(", version", "")


def verdicts(book: Book, at_once: int = 2) -> tuple[list[Verdict], list[Verdict]]:
    """What Coq says of every lemma of a book, and of every theorem."""
    require_coq()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        every = files(book)
        for file, text in every.items():
            write_text(folder / file, text)
        for first in (*general(), f"{book.key}.v"):
            done = compiled(folder, first, _TOGETHER)
            if done.verdict != ACCEPTED:
                raise FedboundsError(f"Coq does not read {first}: {done.told}")
        parts = [one for one in every if re.fullmatch(rf"{book.key}_\d+\.v", one)]
        groups = [book.lemmas[at : at + PER_FILE] for at in range(0, len(book.lemmas), PER_FILE)]
        with ThreadPoolExecutor(at_once) as pool:
            rows = pool.map(
                lambda pair: _of_file(folder, book, *pair), zip(parts, groups, strict=True)
            )
            found = [one for row in rows for one in row]
        theorems = _theorems(folder, book, list(zip(parts, groups, strict=True)), found)
    return found, theorems


def _theorems(
    folder: Path,
    book: Book,
    parts: Sequence[tuple[str, Sequence[Lemma]]],
    found: Sequence[Verdict],
) -> list[Verdict]:
    """Of the theorems whose lemmas are all accepted."""
    bad = {one.name for one in found if one.verdict != ACCEPTED}
    for file, lemmas in parts:
        good = [one for one in lemmas if one.name not in bad]
        if len(good) < len(lemmas):
            text = lemmas_text(book, good, file.removesuffix(".v"))
            write_text(folder / file, text)
            compiled(folder, file, _TOGETHER)
    own = [
        one
        for one in book.theorems
        if not any(f"({name} " in line for name in bad for line in one.proof)
    ]
    if not own:
        return []
    file = f"{book.key}_theorems.v"
    write_text(folder / file, files(replace(book, theorems=tuple(own)))[file])
    last = compiled(folder, file, _TOGETHER)
    return [Verdict(one.name, one.step, last.verdict, last.told) for one in own]


def _of_file(folder: Path, book: Book, file: str, lemmas: Sequence[Lemma]) -> list[Verdict]:
    """All of a file at once; where one is not accepted, each by itself."""
    done = compiled(folder, file, _TOGETHER)
    if done.verdict == ACCEPTED:
        return [Verdict(one.name, one.step, ACCEPTED) for one in lemmas]
    return [alone(folder, book, one) for one in lemmas]


def alone(folder: Path, book: Book, lemma: Lemma, limit: float = _ALONE) -> Verdict:
    """A lemma in a file of its own, beside the files that it needs."""
    file = f"one_{lemma.name}.v"
    write_text(folder / file, lemmas_text(book, [lemma], "one"))
    done = compiled(folder, file, limit)
    return Verdict(lemma.name, lemma.step, done.verdict, done.told)


def compiled(folder: Path, file: str, limit: float) -> Verdict:
    """What coqc says of a file."""
    try:
        done = subprocess.run(
            [require_coq(), "-q", file],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Verdict(file, "", LATE, f"more than {limit:g} seconds")
    if done.returncode:
        return Verdict(file, "", REFUSED, " ".join(done.stderr.split())[-300:])
    other = axioms(done.stdout) - AXIOMS
    if other:
        return Verdict(file, "", REFUSED, f"rests on {', '.join(sorted(other))}")
    return Verdict(file, "", ACCEPTED)


def axioms(told: str) -> set[str]:
    """What `Print Assumptions` names."""
    return set(_AXIOM.findall(told))


def prepared(folder: Path, book: Book) -> None:
    """Read the general lemmas and the statements, so that lemmas can be read one by one."""
    for file, text in (general() | {f"{book.key}.v": files(book)[f"{book.key}.v"]}).items():
        write_text(folder / file, text)
        done = compiled(folder, file, _TOGETHER)
        if done.verdict != ACCEPTED:
            raise FedboundsError(f"Coq does not read {file}: {done.told}")


def refused(folder: Path, book: Book, rows: Sequence[Planted], true: Sequence[Lemma]) -> list[str]:
    """Names of the false lemmas that Coq refuses, in a folder that is `prepared`.

    Raises
    ------
    FedboundsError
        If Coq does not read a changed statement, or refuses a true lemma in the same session: then
        it tells nothing.
    """
    require_coq()
    done = subprocess.run(
        ["coqtop", "-q"],
        cwd=folder,
        input=interactive(book, rows, true),
        capture_output=True,
        text=True,
        timeout=_SESSION,
        check=False,
    )
    unknown = set(_UNKNOWN.findall(done.stdout + done.stderr))
    lost = [one.name for one in true if one.name in unknown]
    lost += [n for row in rows if (n := row.lemma.conclusion.partition(" ")[0]) in unknown]
    if lost:
        raise FedboundsError(f"a session of Coq that does not know {', '.join(lost)}")
    return [row.lemma.name for row in rows if row.lemma.name in unknown]
