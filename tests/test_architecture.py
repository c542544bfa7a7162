"""The layout holds: what is on disk is found and imports, and imports run one way only.

Each checker is a plain function of source text (or of a folder) that returns what is wrong. The
tests in the second half plant an error and see that the checker reports it.
"""

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Set
from enum import EnumMeta
from pathlib import Path

import pytest
from each import each

import fedbounds
from fedbounds import facts, vocabulary
from fedbounds.theory.language import registry
from fedbounds.theory.language.symbols import SHARED

PACKAGE = Path(fedbounds.__path__[0])
ROOT = Path(__file__).resolve().parents[1]
LONGEST = 600
WHOLE = frozenset({"second_checker.py"})  # is given away as one file

PARTS = frozenset({"vocabulary", "facts", "theory", "problems", "algorithms", "verify"})

# Part -> the parts of fedbounds it may import. Everyone may import `errors`, which imports nothing.
# A new part fails the test until it has a line here, or a place in OPEN.
ARROWS = {
    "errors": frozenset[str](),
    "border": frozenset({"errors"}),
    "facts": frozenset({"errors"}),
    "vocabulary": frozenset({"errors"}),
    "theory": frozenset({"errors", "vocabulary", "facts", "theory"}),
    "problems": frozenset({"errors", "vocabulary", "facts", "problems"}),
    "algorithms": frozenset({"errors", "vocabulary", "facts", "problems", "algorithms"}),
    "second_checker": frozenset(),
    "laws": frozenset({"errors", "laws"}),  # for other people's code: it knows nothing of ours
}
OPEN = frozenset(
    {"verify", "own", "examples", "strategies", "", "__main__"}
)  # may import anything; "" is fedbounds/__init__.py

ARRAYS = frozenset({"numpy", "cupy", "array_api_compat", "array_api_strict"})
FOREIGN = {
    "theory": ARRAYS,
    "vocabulary": ARRAYS | {"sympy"},
    "facts": ARRAYS | {"sympy"},
}
# They seek numbers against a step, with eigenvectors; what they find is checked again in fractions.
NUMERIC = frozenset(
    f"fedbounds.theory.proof.{name}" for name in ("feasible", "finite", "forms", "refute_vectors")
)

# The methods know how numbers are found, and neither who asks nor of what.
CONCRETE = frozenset(
    {"FedPLT", "FedAvgP", "ScaffoldP", "RandomMasks", "RollingMasks", "StaticMasks", "D_W", "V_W"}
)
CLASSES = CONCRETE - {"D_W", "V_W"} | {"FedAvg-P", "Scaffold-P"}

# One paper is one folder of theory/ with a catalogue, named as in its claim ids. A folder that is
# not a paper is named in SHARED_THEORY, so that no new paper goes unchecked.
PAPERS = frozenset(path.parent.name for path in PACKAGE.glob("theory/*/catalogue.toml"))
# The checker of certificates knows neither the search nor a computer algebra system.
KERNEL = frozenset({"checker", ""})
SEARCH = frozenset({"sympy", "scipy", "z3"})
SHARED_THEORY = frozenset({"checker", "language", "proof"})
# Folders of verify/: each may import those before it.
ORDER = (
    "measure",
    "decide",
    "setups",
    "own",
    "judge",
    "search",
    "results",
    "page",
    "commands",
)

# ---- checkers


def imports(
    source: str, module: str = "", *, is_package: bool = False
) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of everything `source` imports, at any depth of nesting.

    `from a import b` gives `a.b`, whether b is a module or not. Relative imports are resolved
    against `module`; `import_module` and `__import__` count when their argument is a literal.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = module.split(".")
                above = above[: len(above) - node.level + is_package]
                base = ".".join([*above, base] if base else above)
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and node.args:
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            name = getattr(node.args[0], "value", None)
            if called in {"import_module", "__import__"} and isinstance(name, str):
                yield node.lineno, name


def wrong_imports(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """Imports of the fedbounds module `module` against the arrows, arrays or other papers."""
    part, *inside = [*module.split(".")[1:], ""]
    if part in OPEN:
        return []
    if part not in ARROWS:
        return [f"{module}: '{part}' is no known part of fedbounds; give it a line in ARROWS"]
    wrong = []
    for line, name in imports(source, module, is_package=is_package):
        top, *below = [*name.split("."), "", ""]
        if top == "fedbounds":
            other_paper = (
                part == below[0] == "theory"
                and inside[0] in PAPERS
                and below[1] in PAPERS - {inside[0]}
            )
            if below[0] not in ARROWS[part]:
                wrong.append(f"{module}:{line}: {part} must not import {name}")
            elif inside[0] == "checker" and below[0] == part and below[1] not in KERNEL:
                wrong.append(f"{module}:{line}: the checker must not import {name}")
            elif other_paper:
                wrong.append(f"{module}:{line}: a paper must not import another paper, {name}")
        elif (top in FOREIGN.get(part, ()) and module not in NUMERIC) or (
            inside[0] == "checker" and top in SEARCH
        ):
            wrong.append(f"{module}:{line}: {part} must not import {name}")
    return wrong


def wrong_in_verify(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """Imports of a file of verify/ from a folder that comes after its own."""
    own = module.split(".")[2]
    wrong = []
    for line, name in imports(source, module, is_package=is_package):
        top, *below = [*name.split("."), "", ""]
        if [top, below[0]] != ["fedbounds", "verify"]:
            continue
        if ORDER.index(below[1]) > ORDER.index(own):
            wrong.append(f"{module}:{line}: {own} must not import {name}")
    return wrong


def wrong_in_measure(source: str, module: str) -> list[str]:
    """What the methods import or name that belongs to a paper, an algorithm or a later part."""
    wrong = []
    for line, name in imports(source, module):
        top, *below = [*name.split("."), "", "", ""]
        if top != "fedbounds" or below[0] in {"errors", "vocabulary", "facts", "problems"}:
            continue
        own = below[:2] == ["verify", "measure"]
        theory = below[0] == "theory" and below[1] not in PAPERS
        if not own and not theory and below[:2] != ["algorithms", "traced"]:
            wrong.append(f"{module}:{line}: a method must not import {name}")
    words = {word for node in ast.walk(ast.parse(source)) for word in _words(node)}
    wrong += [f"{module}: a method names {word}" for word in sorted(words & (PAPERS | CONCRETE))]
    return wrong


def named_in_engine(source: str, module: str) -> list[str]:
    """Papers and concrete algorithms that a file of the engine imports, or names in its code."""
    found = {
        name
        for _, name in imports(source, module)
        for _, part, own, *_ in [[*name.split("."), "", "", ""]]
        if (part == "algorithms" and own not in {"traced", "masks", ""})  # masks are no algorithm
        or (part == "theory" and own in PAPERS)
    }
    tree = ast.parse(source)
    told = {id(x.value) for x in ast.walk(tree) if isinstance(x, ast.Expr)}  # docstrings
    words = {w for x in ast.walk(tree) if id(x) not in told for w in _words(x)}
    return sorted(found | words & (PAPERS | CLASSES))


def of_engine(module: str) -> bool:
    """Whether a file is the engine's; what a paper has there still is under its own name."""
    _, part, own, *_ = [*module.split("."), "", ""]
    parts = {"verify", "problems", "theory", "strategies", "laws", "vocabulary", "facts"}
    return part in parts and own not in PAPERS


def _words(node: ast.AST) -> Iterator[str]:
    """Names, and the words of texts that are not docstrings."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from re.findall(r"[\w-]+", node.value)


def words_named(source: str, enums: Iterable[str]) -> set[str]:
    """Members of these enumerations that a file names: "Kind.IDENTITY"."""
    return {
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id in enums
    }


def words_of_one_paper(named: Mapping[str, set[str]]) -> list[str]:
    """Of words with the modules that name them, those that a single paper speaks of alone."""
    return sorted(
        word
        for word, modules in named.items()
        if len({_speaker(module) for module in modules}) == 1
        and _speaker(next(iter(modules))) in PAPERS
    )


def _speaker(module: str) -> str:
    """The paper whose folder a module is in, or the part of the engine."""
    _, part, own, *_ = [*module.split("."), "", ""]
    return own if part == "theory" and own in PAPERS else part


def wrong_top_level_imports(source: str) -> list[str]:
    """Imports that name a part without `fedbounds.`, which reach it through a link at the top."""
    return [
        f"line {line}: import fedbounds.{name}, not {name}"
        for line, name in imports(source)
        if name.split(".")[0] in PARTS
    ]


def notebook_source(text: str) -> str:
    """The Python of a notebook (JSON), with shell lines, magics and other languages blanked."""
    cells = []
    for cell in json.loads(text)["cells"]:
        lines = "".join(cell["source"]).splitlines()
        if cell["cell_type"] != "code" or not lines:
            continue
        if lines[0].startswith("%%") and lines[0].split()[0] not in {"%%time", "%%capture"}:
            continue
        for line in lines:
            indent = line[: len(line) - len(line.lstrip())]
            cells.append(f"{indent}pass" if line.lstrip()[:1] in {"%", "!", "?"} else line)
    return "\n".join(cells)


def modules_on_disk(folder: Path, package: str) -> dict[str, Path]:
    """Dotted name of each .py file under `folder`, the folder of `package`."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        names = path.relative_to(folder).with_suffix("").parts
        if names[-1] == "__init__":
            names = names[:-1]
        found[".".join([package, *names])] = path
    return found


def modules_discovered(folder: Path, package: str) -> set[str]:
    """Dotted name of each module that importing code can discover under `folder`."""

    def fail(name: str) -> None:
        raise ImportError(f"{name} does not import")

    walked = pkgutil.walk_packages([str(folder)], f"{package}.", onerror=fail)
    return {package} | {found.name for found in walked}


def too_long(text: str) -> bool:
    return len(text.splitlines()) > LONGEST


def parts_loaded(modules: list[str], package: str, search_path: Path) -> set[str]:
    """Parts of `package` that a fresh interpreter has loaded after importing `modules`."""
    code = (
        "import importlib, sys\n"
        f"sys.path.insert(0, {str(search_path)!r})\n"
        f"for name in {modules!r}: importlib.import_module(name)\n"
        f"print(*(m.split('.')[1] for m in sys.modules if m.startswith({package + '.'!r})))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


# ---- the repository


MODULES = modules_on_disk(PACKAGE, "fedbounds")


def test_discovery_finds_every_module_on_disk():
    assert set(MODULES) > {"fedbounds"} | {f"fedbounds.{part}" for part in PARTS}
    assert not set(MODULES) - modules_discovered(PACKAGE, "fedbounds")


@each("module", MODULES)
def test_module_imports(module):
    importlib.import_module(module)


@each("module", MODULES)
def test_imports_follow_the_arrows(module):
    path = MODULES[module]
    assert not wrong_imports(path.read_text("utf-8"), module, is_package=path.name == "__init__.py")


def test_benchmarks_import():
    names = sorted(path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py"))
    assert len(names) > 3
    code = f"import sys; sys.path[:0] = [{str(PACKAGE.parent)!r}, {str(ROOT)!r}]\n"
    code += "".join(f"import benchmarks.{name}\n" for name in names)
    subprocess.run([sys.executable, "-c", code], check=True)


def test_folders_of_verify_import_only_those_before_them():
    inside = {m: path for m, path in MODULES.items() if m.startswith("fedbounds.verify.")}
    assert {m.split(".")[2] for m in inside} == set(ORDER)
    assert not [
        one
        for m, path in inside.items()
        for one in wrong_in_verify(
            path.read_text("utf-8"), m, is_package=path.name == "__init__.py"
        )
    ]


@pytest.mark.parametrize(
    ("module", "source", "wrong"),
    [
        ("measure.moments", "from ..decide.part import decide", True),
        ("judge.judge", "from fedbounds.verify.results import store", True),
        ("page.tables", "def f():\n    from ..commands import options", True),
        ("results.run", "from ..judge.judge import judge\nfrom .store import Store", False),
    ],
)
def test_planted_import_of_a_later_folder_is_reported(module, source, wrong):
    assert bool(wrong_in_verify(source, f"fedbounds.verify.{module}")) is wrong


def test_methods_know_no_paper_and_no_algorithm():
    inside = {m: path for m, path in MODULES.items() if ".verify.measure." in f"{m}."}
    assert len(inside) > 10
    wrong = [x for m, path in inside.items() for x in wrong_in_measure(path.read_text("utf-8"), m)]
    assert not wrong


def test_no_file_of_the_engine_names_a_paper_or_an_algorithm():
    inside = {module: path for module, path in MODULES.items() if of_engine(module)}
    assert len(inside) > 200
    found = {x: named_in_engine(path.read_text("utf-8"), x) for x, path in inside.items()}
    assert not {module: named for module, named in found.items() if named}


def quantities_named(source: str, names: Set[str]) -> list[str]:
    """Of these quantities, those that the code of a file names by a text, or imports."""
    tree = ast.parse(source)
    told = {id(x.value) for x in ast.walk(tree) if isinstance(x, ast.Expr)}  # docstrings
    texts = (x for x in ast.walk(tree) if isinstance(x, ast.Constant) and id(x) not in told)
    found = {x.value for x in texts if isinstance(x.value, str)}
    found |= {x.name for y in ast.walk(tree) if isinstance(y, ast.ImportFrom) for x in y.names}
    return sorted(found & names)


# quantities that a paper declares; a letter is a word of other things too
OWN = {
    name
    for paper in sorted(PAPERS)
    for name in registry.glossary(paper).quantities - SHARED.quantities
    if len(name) > 1
}


def test_no_file_of_the_engine_names_a_quantity_of_a_paper():
    inside = {module: path for module, path in MODULES.items() if of_engine(module)}
    assert len(OWN) > 100
    found = {x: quantities_named(path.read_text("utf-8"), OWN) for x, path in inside.items()}
    assert not {module: named for module, named in found.items() if named}


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ('LEFT = ("f", "D_W", "D_opt")', ["D_opt"]),
        ("from fedbounds.theory.submodel.symbols import L_hat", ["L_hat"]),
        ('"""Of D_opt."""\nD_opt = 1', []),
    ],
)
def test_planted_quantities_in_the_engine_are_reported(source, named):
    assert quantities_named(source, OWN) == named


def _named_of(module) -> dict[str, set[str]]:
    """Every member of a module's enumerations, with the modules that name it."""
    enums = {
        x: y for x, y in vars(module).items() if getattr(y, "__module__", "") == module.__name__
    }
    assert all(isinstance(one, EnumMeta) for one in enums.values())  # words, and nothing else
    found: dict[str, set[str]] = {f"{x}.{y}": set() for x in enums for y in enums[x].__members__}
    for name, path in MODULES.items():
        for word in words_named(path.read_text("utf-8"), enums) & found.keys():
            found[word].add(name)
    return found


def test_the_vocabulary_has_no_words_of_a_paper():
    assert not words_of_one_paper(_named_of(vocabulary))


def test_every_fact_and_constant_is_named_by_a_problem_or_by_what_measures_problems():
    named = _named_of(facts)
    assert named
    assert not [x for x in named if not {_speaker(m) for m in named[x]} & {"problems", "verify"}]


def test_a_planted_word_of_one_paper_is_reported():
    source = (
        "from fedbounds.vocabulary import Kind\nx = (Kind.IDENTITY, Other.WORD, 'Kind.SCALING')"
    )
    assert words_named(source, {"Kind"}) == {"Kind.IDENTITY"}
    papers = {f"fedbounds.theory.{paper}.claims" for paper in PAPERS}
    alone = {"fedbounds.theory.fedplt.claims", "fedbounds.theory.fedplt.views"}
    named = {"A": alone, "B": papers, "C": {*alone, "fedbounds.verify.judge.judge"}, "D": set()}
    assert words_of_one_paper(named) == ["A"]


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("from fedbounds.algorithms.fedplt import ROUNDS", True),
        ("from fedbounds.theory.fedplt import setups", True),
        ("from ..algorithms import sub_models\nx = 'a FedAvg-P run'", True),
        ("key = 'submodel/lem-2'", True),
        ("told = \"an id such as 'submodel/lem-2', or\"", True),
        ('"""Of FedAvg-P, in personalization."""\ndef f():\n    """submodel"""', False),
        (
            "from fedbounds.algorithms.traced import Algorithm\nfrom fedbounds.theory import claims",
            False,
        ),
    ],
)
def test_planted_names_in_the_engine_are_reported(source, named):
    assert bool(named_in_engine(source, "fedbounds.verify.judge.judge")) is named


@pytest.mark.parametrize(
    "source",
    [
        "from fedbounds.algorithms.fedplt import FedPLT as algorithm",
        "from fedbounds.theory.fedplt import symbols",
        "from ..judge.judge import judge",
        "from fedbounds.verify import results",
        "def f(x):\n    return type(x).__name__ == 'FedAvgP'",
        "found = series.D_W",
        "key = 'fedplt/recursion'",
    ],
)
def test_planted_paper_in_a_method_is_reported(source):
    assert wrong_in_measure(source, "fedbounds.verify.measure.moments")


def test_what_methods_may_use_is_not_reported():
    allowed = "from fedbounds.algorithms.traced import Algorithm\nfrom .evaluate import Numbers"
    more = "from fedbounds.theory.language.symbols import T\nfrom .moments import Moments"
    assert not wrong_in_measure(f"{allowed}\n{more}", "fedbounds.verify.measure.moments")


@pytest.mark.parametrize("part", ARROWS)
def test_importing_a_part_loads_only_what_the_arrows_allow(part):
    """Also sees what no reading of the source does: imports by computed name, or by the root."""
    modules = [name for name in MODULES if f"{name}.".startswith(f"fedbounds.{part}.")]
    assert modules
    assert parts_loaded(modules, "fedbounds", PACKAGE.parent) <= ARROWS[part] | {part}


def test_every_folder_of_theory_is_a_paper_or_named_as_shared():
    folders = {path.parent.name for path in PACKAGE.glob("theory/*/__init__.py")}
    assert PAPERS
    assert folders == PAPERS | SHARED_THEORY


def test_tests_and_notebooks_import_from_fedbounds_only():
    texts = {
        path: path.read_text("utf-8")
        for folder in ("tests", "notebooks", "benchmarks")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in {".py", ".ipynb"} and ".ipynb_checkpoints" not in path.parts
    }
    assert Path(__file__).resolve() in texts
    wrong = {}
    for path, text in texts.items():
        source = notebook_source(text) if path.suffix == ".ipynb" else text
        wrong[str(path.relative_to(ROOT))] = wrong_top_level_imports(source)
    assert not {path: found for path, found in wrong.items() if found}


def test_no_file_is_too_long():
    files = [
        path
        for path in sorted(PACKAGE.rglob("*"))
        if path.suffix in (".py", ".j2")  # the catalogue is data, as long as its paper
        and path.name not in WHOLE
    ]
    assert len(files) >= len(MODULES) - len(WHOLE)
    assert not [str(path) for path in files if too_long(path.read_text("utf-8"))]


# ---- the checkers, on planted errors


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("fedbounds.errors", "from fedbounds.vocabulary import Kind"),
        ("fedbounds.vocabulary", "from fedbounds.theory import claims"),
        ("fedbounds.vocabulary", "import sympy"),
        ("fedbounds.vocabulary", "import numpy.linalg"),
        ("fedbounds.theory.language.claims", "from fedbounds.problems.noise import Noise"),
        ("fedbounds.theory.language.claims", "from fedbounds import algorithms"),
        ("fedbounds.theory.language.claims", "from fedbounds import *"),
        ("fedbounds.theory.language.claims", "import fedbounds"),
        ("fedbounds.theory.language.claims", "from ... import verify"),
        ("fedbounds.theory.language.claims", "from ...verify.results.store import load"),
        ("fedbounds.theory.language.claims", "def f():\n    import numpy as np"),
        ("fedbounds.theory.checker.check", "from fedbounds.theory.proof import search"),
        ("fedbounds.theory.checker.check", "from fedbounds.theory.language.claims import Claim"),
        ("fedbounds.theory.checker.facts", "import sympy"),
        ("fedbounds.theory.language.claims", "from array_api_compat import array_namespace"),
        ("fedbounds.theory.language.claims", "if TYPE_CHECKING:\n    from cupy import ndarray"),
        ("fedbounds.theory.language.claims", "importlib.import_module('numpy.linalg')"),
        ("fedbounds.theory.language.claims", "__import__('fedbounds.verify')"),
        ("fedbounds.theory.personalization.lemmas", "from fedbounds.theory.submodel import a"),
        ("fedbounds.theory.personalization.lemmas", "from fedbounds.theory import submodel"),
        ("fedbounds.theory.personalization.lemmas", "from ..submodel import a"),
        ("fedbounds.theory.submodel", "from fedbounds.theory.personalization import lemmas"),
        ("fedbounds.problems.linear", "import fedbounds.algorithms.sampling"),
        ("fedbounds.problems.linear", "from fedbounds.theory import symbols"),
        ("fedbounds.algorithms.sampling", "from fedbounds.theory import symbols"),
        ("fedbounds.algorithms.sampling", "from fedbounds.verify import store"),
        ("fedbounds.utils", ""),
    ],
)
def test_planted_import_is_reported(module, source):
    assert len(wrong_imports(source, module)) == 1


def test_planted_import_in_a_package_is_reported():
    assert wrong_imports("from .verify import store", "fedbounds.theory", is_package=True) == []
    assert wrong_imports("from ..verify import store", "fedbounds.theory", is_package=True)
    assert wrong_imports("from ..submodel import a", "fedbounds.theory.fedplt", is_package=True)
    assert wrong_imports("from ...verify import a", "fedbounds.theory.fedplt", is_package=True)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("fedbounds", "from fedbounds import vocabulary"),
        ("fedbounds.vocabulary", "from enum import StrEnum\nfrom fedbounds.errors import require"),
        ("fedbounds.theory.language.claims", "import sympy\nfrom fedbounds import vocabulary"),
        (
            "fedbounds.theory.language.registry",
            "from fedbounds.theory import fedplt, personalization",
        ),
        ("fedbounds.theory.submodel.lemmas", "from . import symbols\nfrom .. import claims"),
        ("fedbounds.theory.submodel.lemmas", "from fedbounds.theory.submodel import symbols"),
        ("fedbounds.problems.linear", "import numpy\nfrom fedbounds.problems import noise"),
        ("fedbounds.algorithms.sampling", "from ..problems.noise import Noise"),
        ("fedbounds.verify.measure", "import fedbounds\nfrom fedbounds.algorithms import sampling"),
    ],
)
def test_allowed_import_is_not_reported(module, source):
    assert wrong_imports(source, module) == []


@pytest.mark.parametrize(
    "source",
    [
        "import theory",
        "import problems.noise as noise",
        "from algorithms import sampling",
        "def f():\n    from verify.store import load",
        "importlib.import_module('theory.claims')",
    ],
)
def test_planted_top_level_import_is_reported(source):
    assert len(wrong_top_level_imports(source)) == 1
    assert wrong_top_level_imports(f"import fedbounds.theory\nfrom . import verify\n{source}")
    notebook = {
        "cells": [
            {"cell_type": "markdown", "source": ["import theory in words"]},
            {"cell_type": "code", "source": ["%%bash\n", "import theory.png"]},
            {"cell_type": "code", "source": ["%%time\n", "!ls\n", "if 1:\n", "    %time 2\n"]},
            {"cell_type": "code", "source": []},
            {"cell_type": "code", "source": source},
        ]
    }
    assert len(wrong_top_level_imports(notebook_source(json.dumps(notebook)))) == 1


def test_imports_from_fedbounds_are_not_reported():
    assert wrong_top_level_imports("import fedbounds.theory\nfrom . import verify") == []


def test_planted_module_that_cannot_be_discovered_is_reported(tmp_path):
    (tmp_path / "found.py").touch()
    (tmp_path / "without_init").mkdir()
    (tmp_path / "without_init" / "lost.py").touch()
    missing = set(modules_on_disk(tmp_path, "planted")) - modules_discovered(tmp_path, "planted")
    assert missing == {"planted.without_init.lost"}


def test_planted_import_at_run_time_is_reported(tmp_path):
    folder = tmp_path / "planted"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "verify.py").touch()
    (folder / "theory.py").write_text("__import__('.'.join(['planted', 'ver' + 'ify']))")
    assert parts_loaded(["planted.theory"], "planted", tmp_path) == {"theory", "verify"}


def test_planted_long_file_is_reported():
    assert not too_long("a\n" * LONGEST)
    assert too_long("a\n" * (LONGEST + 1))
