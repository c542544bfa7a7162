"""Read a user's file: run it as Python, once, and make what it declares known like a paper.

A folder with a catalogue of claims is read as a paper's is, see `folder`.

Only a file that is named on the command line, or a package's entry point, is ever run.
"""

import hashlib
import sys
import traceback
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from types import ModuleType

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import Paper, check_uses
from fedbounds.theory.language.contributed import Contribution, contribute

from .book import book_of, refuse_contradiction
from .declare import Theory
from .examined import examine
from .examples import file_of
from .folder import is_folder, load_folder
from .known import remember
from .longer import Runs
from .plan import irrational, left_out
from .run_comparisons import comparing, watched
from .run_fractions import own_builtins
from .sought import sought
from .view import RUNS, view_of_theory


def load(path: str) -> tuple[str, ...]:
    """Load a file; returns the keys of its theories.

    Raises
    ------
    FedboundsError
        One or two lines with file and line, whatever is wrong with it.
    """
    file = file_of(path)
    if is_folder(path):
        return load_folder(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not UTF-8 text"
        raise FedboundsError(f"cannot read {path!r}: {why}") from error
    found = [x for x in vars(_run(str(file), text)).values() if isinstance(x, Theory)]
    theories = list(dict.fromkeys(found))
    for theory, again in combinations(theories, 2):
        if theory.key == again.key:
            raise FedboundsError(
                f"{again.line}: a second theory with the key {again.key!r}; the first is at "
                f"{theory.line}"
            )
    if not theories:
        raise FedboundsError(
            f"{path} declares no theory; add: me = theory('me', Algorithm(init, draw, step))"
        )
    for theory in theories:
        contribute(contribution(theory, text, path))
    return tuple(theory.key for theory in theories)


def contribution(theory: Theory, text: str = "", file: str = "") -> Contribution:
    """A theory as a paper has it; an installed package's entry point returns this.

    Parameters
    ----------
    text : str
        The source that defines it, which determines its records' names; if left out, that of
        the file in which ``theory`` was called.

    Raises
    ------
    FedboundsError
        If there are no claims, conditions contradict each other, or the algorithm breaks its
        contract in one round of floats.
    """
    if not theory.statements:
        raise FedboundsError(
            f"{theory.line}: {theory.key} has no claim; add: {theory.key}.claim('rate', "
            "'D_W(T) <= D_W(0)')"
        )
    for statement in theory.statements:
        refuse_contradiction(theory, statement)
    entries = tuple(statement.claim.entry for statement in theory.statements)
    check_uses(entries)
    examine(theory)
    remember(theory)
    text = text or Path(theory.line.rpartition(":")[0]).read_text(encoding="utf-8")
    source = hashlib.sha256(text.encode()).hexdigest()
    runs = Runs(theory)
    return Contribution(
        Paper(theory.key, theory.title, (f"declared in {Path(theory.line).name}",), entries),
        {statement.claim.id: statement.claim for statement in theory.statements},
        cache(partial(book_of, theory)),
        runs.cases,
        theory.glossary,
        source,
        file,
        {RUNS: view_of_theory(theory)},
        left_out=partial(left_out, theory),
        sought=cache(partial(sought, theory)),
        forever=runs.forever,
        later=runs.later,
        irrational=partial(irrational, theory),
    )


def _run(path: str, text: str) -> ModuleType:
    name = "fedbounds_own_" + hashlib.sha256(path.encode()).hexdigest()[:12]
    module = ModuleType(name)
    module.__file__ = path
    module.__dict__["__builtins__"] = own_builtins() | comparing()
    try:
        code = compile(watched(text, path), path, "exec")
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise FedboundsError(f"{path}:{line}: {getattr(error, 'msg', error)}") from error
    sys.modules[name] = module  # dataclasses of the file need their module
    try:
        exec(code, module.__dict__)
    except (Exception, SystemExit) as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
        where = f"{path}:{frames[-1].lineno if frames else 1}: "
        if isinstance(error, FedboundsError):
            told = str(error)
            raise FedboundsError(told if told.startswith(f"{path}:") else where + told) from error
        raise FedboundsError(f"{where}{type(error).__name__}: {error}") from error
    return module
