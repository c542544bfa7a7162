"""The page on the trusted base names everything that is trusted, and how much it is."""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

import fedbounds.theory.checker as package
from fedbounds.theory.checker.facts import FACTS

FOLDER = Path(package.__file__).parent
PAGE = (Path(__file__).parents[3] / "docs" / "trusted_base.md").read_text(encoding="utf-8")
LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def cases(name):
    """What the `match` statements of a module tell apart by name."""
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.MatchValue) and isinstance(node.value, ast.Constant):
            yield node.value.value


@pytest.mark.parametrize("fact", sorted(FACTS))
def test_every_fact_is_listed(fact):
    assert re.search(rf"\| [^|]*`{fact}`[^|]* \|", PAGE)


def test_every_rule_is_listed():
    rules = {"given", "combine", "induction", "unroll", "root"}
    assert rules <= set(cases("check"))
    assert not [rule for rule in rules if f"- `{rule}`" not in PAGE]


def test_every_kind_of_assignment_is_listed():
    kinds = {case for case in cases("charts") if case not in ("after", "*")} | {"split", "integer"}
    assert {"above", "below", "equal", "root", "solve"} <= kinds
    assert not [kind for kind in kinds if f"`{kind}`" not in PAGE]


def test_every_file_is_listed():
    assert not [
        p.stem for p in FOLDER.glob("*.py") if f"`{p.stem}`" not in PAGE and p.stem != "__init__"
    ]


def test_the_size_is_that_of_the_files():
    (stated,) = re.findall(r"About (\d+) lines of code", PAGE)
    apart = {"__init__", "__main__", "files", "shapes", "definitions", "recheck", "signs", "expand"}
    counted = sum(_lines(p) for p in FOLDER.glob("*.py") if p.stem not in apart)
    assert abs(counted - int(stated)) < 0.05 * counted


def _lines(path):
    """Lines of code, without docstrings and comments."""
    source = path.read_text(encoding="utf-8")
    described = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            text = node.body[0]
            described |= set(range(text.lineno, text.end_lineno + 1))
    code = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in (*LAYOUT, tokenize.ENDMARKER):
            code |= set(range(token.start[0], token.end[0] + 1))
    return len(code - described)


def test_the_checker_imports_what_the_page_says():
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            assert not {"sympy", "numpy", "scipy"} & {name.partition(".")[0] for name in names}
            if isinstance(node, ast.ImportFrom) and not node.level:
                assert node.module.partition(".")[0] not in ("sympy", "numpy", "scipy")
