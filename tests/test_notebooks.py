"""The notebooks run, their committed outputs are what they print, and their prose states no result.

`python tests/test_notebooks.py` executes them anew and writes their outputs.
"""

import ast
import copy
import re
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest

from fedbounds.vocabulary import ProofStatus, Standing, StatementStatus, Verdict

nbclient = pytest.importorskip("nbclient", reason="needs the extra notebooks")
nbformat = pytest.importorskip("nbformat", reason="needs the extra notebooks")
pytest.importorskip("ipykernel", reason="needs the extra notebooks")

FOLDER = Path(__file__).parents[1] / "notebooks"
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
OPTIONAL = "optional"  # tag of a cell whose outputs depend on an extra
Cell = Any


def executed(notebook: Any) -> Any:
    """The notebook with fresh outputs, run in an empty folder."""
    fresh = copy.deepcopy(notebook)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that talk to the kernel
        nbclient.NotebookClient(
            fresh,
            timeout=SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            record_timing=False,
        ).execute()
    fresh.metadata = notebook.metadata
    return fresh


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
        "fedplt", "other_peoples_code", "own_theorem", "personalization", "proofs", "submodel", "tour"
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
    assert images
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


def test_prose_states_no_result(notebook: Any) -> None:
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    assert prose
    assert not {text: found for text in prose if (found := result_words(text))}


@pytest.mark.slow
def test_it_runs_and_prints_what_is_committed(notebook: Any) -> None:
    """Wording only: verdicts, standings, names; a stale output is an error."""
    for old, new in zip(code_cells(notebook), code_cells(executed(notebook)), strict=True):
        if OPTIONAL not in old.metadata.get("tags", []):
            assert wording(new) == wording(old), "run `python tests/test_notebooks.py`"


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
