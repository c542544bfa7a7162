"""The notebooks run, their committed outputs are what they print, and their prose states no result.

`python tests/test_notebooks.py` executes them anew and writes their outputs.
"""

import ast
import copy
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fedbounds.vocabulary import ProofStatus, Standing, StatementStatus, Verdict

nbclient = pytest.importorskip("nbclient", reason="needs the extra notebooks")
nbformat = pytest.importorskip("nbformat", reason="needs the extra notebooks")
pytest.importorskip("ipykernel", reason="needs the extra notebooks")

FOLDER = Path(__file__).parents[1] / "notebooks"
CONSTANTS = FOLDER.parent / ".hypothesis"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_CELLS = 25
MOST_PNG = 1_000_000  # bytes of base64 text per notebook
SECONDS = 300  # a hang is an error; 60 s are meant, on two free cores
ALLOWED = {"fedbounds", "numpy", "matplotlib", "IPython", "hypothesis"}
WORDS = {
    word.value.rstrip("*")
    for kind in (Standing, StatementStatus, ProofStatus, Verdict)
    for word in kind
}
Cell = Any


# what one notebook leaves to the next in the same kernel: modules, and what they have computed
ANEW = """\
%reset_selective -f ^(?!_)
import os, sys, tempfile
from fedbounds.verify.results.processes import collect_seldom
collect_seldom()
import matplotlib
matplotlib.rcdefaults()
os.chdir(tempfile.mkdtemp(dir="{folder}"))
for name, theories in (("theory.language.contributed", "_KNOWN"), ("verify.own.known", "_LOADED")):
    if module := sys.modules.get("fedbounds." + name):
        getattr(module, theories).clear()
"""


def executed(notebook: Any, errors: bool = False) -> Any:
    """The notebook with fresh outputs, run in an empty folder; with ``errors`` they are outputs."""
    fresh = copy.deepcopy(notebook)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that talk to the kernel
        nbclient.NotebookClient(
            fresh,
            timeout=SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            record_timing=False,
            allow_errors=errors,
        ).execute()
    fresh.metadata = notebook.metadata
    return fresh


@pytest.fixture(scope="module")
def kernel() -> Iterator[Any]:
    """One for all notebooks that a process runs: it replays the proofs of all of them once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that talk to the kernel
        client = nbclient.NotebookClient(
            nbformat.v4.new_notebook(),
            timeout=SECONDS,
            kernel_name="python3",
            record_timing=False,
            allow_errors=True,
        )
        # what hypothesis reads of our files is there for each process that it is made for
        with client.setup_kernel(env=os.environ | {"HYPOTHESIS_STORAGE_DIRECTORY": str(CONSTANTS)}):
            yield client


def executed_anew(kernel: Any, notebook: Any, folder: Path) -> list[Cell]:
    """The code cells with fresh outputs, in a kernel that may have run other notebooks."""
    begin = nbformat.v4.new_code_cell(ANEW.format(folder=folder))
    kernel.nb.cells = [begin, *code_cells(copy.deepcopy(notebook))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for at, cell in enumerate(kernel.nb.cells):
            kernel.execute_cell(cell, at)
    assert not [x for x in begin.outputs if x.output_type == "error"], begin.outputs
    return list(kernel.nb.cells[1:])


def stale(old: Cell, new: Cell) -> str:
    """What a cell prints that its committed output does not, in words; or the error it ends in."""
    for output in new.outputs:
        if output.output_type == "error":
            return f"{output.ename}: {output.evalue}"
    if wording(new) == wording(old):
        return ""
    before, after = wording(old), wording(new)
    at = next((i for i, (x, y) in enumerate(zip(before, after, strict=False)) if x != y), 0)
    return f"prints other words: {before[at : at + 8]} were committed, {after[at : at + 8]} follow"


def texts(cell: Cell) -> list[str]:
    """Everything textual that a code cell put out."""
    found = []
    for output in cell.outputs:
        found.append(output.get("text", ""))
        found.extend(
            x for kind, x in sorted(output.get("data", {}).items()) if not kind.startswith("image")
        )
        found.extend(output.get("traceback", []))
    return found


def wording(cell: Cell) -> list[str]:
    """The words of a cell's outputs: without numbers, whose last digits machines may differ in."""
    return re.findall(r"[^\W\d_]{2,}", " ".join(texts(cell)))


def result_words(text: str) -> set[str]:
    """Words of a verdict or standing that a text contains."""
    plain = text.lower()
    return {word for word in WORDS if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", plain)}


def paths_in(text: str) -> list[str]:
    """Absolute paths of a machine."""
    return re.findall(r"(?:(?<![\w.<:/])/(?:\w[\w.-]*/)+[\w.-]*|\b[A-Z]:\\[\w\\]+)", text)


def imports(source: str) -> set[str]:
    """First names of all imported modules; a relative import is named "."."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." if node.level else str(node.module).partition(".")[0])
    return found


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def code_cells(notebook: Any) -> list[Cell]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> Any:
    return read(request.param)


def test_all_are_there() -> None:
    expected = [
        "fedplt", "meerkat", "other_peoples_code", "overparam", "own_theorem", "personalization",
        "proofs", "submodel", "tour",
    ]  # fmt: skip
    assert [path.stem for path in NOTEBOOKS] == expected


def test_it_is_short(notebook: Any) -> None:
    assert len(notebook.cells) <= MOST_CELLS


def test_outputs_are_committed_and_free_of_errors(notebook: Any) -> None:
    nbformat.validate(notebook)
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    images = [o.data["image/png"] for o in outputs if "image/png" in o.get("data", {})]
    shown = [o.data.get("text/html", "") for o in outputs if "data" in o]
    assert images or any("<svg" in text for text in shown)
    assert sum(map(len, images)) < MOST_PNG


def test_no_path_of_a_machine(notebook: Any) -> None:
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    found = [
        path for cell in code_cells(notebook) for text in texts(cell) for path in paths_in(text)
    ]
    assert not found


def test_it_imports_the_package_and_what_every_notebook_has(notebook: Any) -> None:
    found = set().union(*(imports(cell.source) for cell in code_cells(notebook)))
    assert "fedbounds" in found
    assert found <= ALLOWED | set(sys.stdlib_module_names)


def test_it_uses_the_public_interface_alone(notebook: Any) -> None:
    source = "\n".join(cell.source for cell in code_cells(notebook))
    modules = re.findall(r"^(?:from|import) (fedbounds[\w.]*)", source, re.M)
    assert set(modules) <= {"fedbounds", "fedbounds.own"}


def test_prose_states_no_result(notebook: Any) -> None:
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    assert prose
    assert not {text: found for text in prose if (found := result_words(text))}


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_and_prints_what_is_committed(path: Path, kernel: Any, tmp_path: Path) -> None:
    """Wording only: verdicts, standings, names; a stale output is an error."""
    notebook = read(path)
    fresh = executed_anew(kernel, notebook, tmp_path)
    faults = [
        fault
        for old, new in zip(code_cells(notebook), fresh, strict=True)
        if (fault := stale(old, new))
    ]
    assert not faults, "\n".join(["run `python tests/test_notebooks.py`", *faults])


def test_a_stale_output_and_an_error_are_seen(kernel: Any, tmp_path: Path) -> None:
    """Each notebook begins anew: what the one before it named is gone."""
    faults = []
    for source in ("x = 1\nprint('survived')", "print('refuted')", "print(x)", "1/0"):
        cell = nbformat.v4.new_code_cell(source)
        cell.outputs = [nbformat.v4.new_output("stream", text="survived\n")]
        notebook = nbformat.v4.new_notebook(cells=[cell])
        (new,) = executed_anew(kernel, notebook, tmp_path)
        faults.append(stale(cell, new))
    assert faults[0] == ""
    assert faults[1].startswith("prints other words")
    assert faults[2].startswith("NameError")
    assert faults[3].startswith("ZeroDivisionError")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The lemma is refuted.", {"refuted"}),
        ("**Survived**, and not violated", {"survived", "violated", "not violated"}),
        ("a bound that was never contested, in an open-ended plan", set()),
    ],
)
def test_result_words_are_seen(text: str, expected: set[str]) -> None:
    assert result_words(text) == expected


ABSOLUTE = "/".join(("", "home", "me", "x.json"))  # of no machine


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"saved to {ABSOLUTE}", [ABSOLUTE]),
        ("see 'C:\\Users\\me'", ["C:\\Users\\me"]),
        ("right/left = 1/2, witnesses/a.py, https://example.org/a/b, <td>x</td>", []),
    ],
)
def test_paths_are_seen(text: str, expected: list[str]) -> None:
    assert paths_in(text) == expected


def test_imports_are_seen() -> None:
    assert imports("import os.path, pandas\nfrom . import x\nfrom theory.a import b") == {
        "os",
        "pandas",
        ".",
        "theory",
    }


if __name__ == "__main__":
    for file in NOTEBOOKS:
        nbformat.write(executed(read(file)), file)
