"""Theorems of the literature that come with the package: files of the public interface, and judged."""

import ast
import re
from itertools import islice
from pathlib import Path

import pytest
from own_files import cases

import fedbounds
from fedbounds.errors import FedboundsError
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.own.examples import EXAMPLE, described, file_of, names
from fedbounds.verify.own.known import theory_of
from fedbounds.verify.own.load import load
from fedbounds.verify.own.names import entries_named
from fedbounds.vocabulary import ProofStatus, Standing, StatementStatus, Verdict

FOLDER = Path(fedbounds.__path__[0]) / "examples"
LITERATURE = {
    "coordinate_descent", "decreasing_sgd", "diana", "dist_ef_sgd", "ef21", "fedavg", "l_svrg",
    "local_sgd", "reshuffling", "scaffnew", "scaffold", "two_point",
}  # fmt: skip
VERDICTS = {
    word.value.rstrip("*")
    for kind in (Standing, StatementStatus, ProofStatus, Verdict)
    for word in kind
}


def test_those_of_the_literature_and_of_pepit_are_there():
    assert set(names()) >= LITERATURE
    assert len([name for name in names() if name.startswith("pep_")]) >= 12


@pytest.mark.parametrize("name", names())
def test_it_is_a_file_of_the_public_interface(name):
    tree = ast.parse((FOLDER / f"{name}.py").read_text("utf-8"))
    modules = {x.module or "" for x in ast.walk(tree) if isinstance(x, ast.ImportFrom)}
    modules |= {a.name for x in ast.walk(tree) if isinstance(x, ast.Import) for a in x.names}
    assert modules <= {
        "fedbounds.own",
        "fractions",
        "itertools",
        "math",
        "random",
        "numpy",
        "sympy",
    }


@pytest.mark.parametrize("name", names())
def test_it_says_what_it_is_where_it_is_printed_and_no_verdict(name):
    text = ast.get_docstring(ast.parse(file_of(EXAMPLE + name).read_text("utf-8")))
    one = described(name)
    assert one.about.endswith(".")
    assert one.reference
    assert "As printed: " in text or "PEPit: " in text
    assert not {word for word in VERDICTS if re.search(rf"(?<![\w-]){word}(?![\w-])", text.lower())}


@pytest.mark.parametrize("name", names())
def test_it_is_judged_and_its_claims_apply(name):
    (key,) = load(EXAMPLE + name)
    theory = theory_of(key)
    assert key == name
    claims = [statement.claim for statement in theory.statements]
    few = islice(cases(theory, Profile.QUICK, 0), 4)  # until one applies
    every = (judged.verdict for case in few for judged in judge(claims, case).judgements)
    assert any(verdict is not Verdict.NOT_APPLICABLE for verdict in every)


def test_they_are_listed(capsys):
    assert status(["examples"]) == 0
    out = capsys.readouterr().out
    assert all(f"{EXAMPLE}{name}\n" in out for name in names())
    assert "ProxSkip" in out


def test_one_is_judged_like_a_file_and_all_are_named_together(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert status(["show", "example:scaffnew::theorem-3.6"]) == 0
    assert "scaffnew/theorem-3.6" in capsys.readouterr().out
    assert {entry.paper for entry in entries_named(("examples",))} == set(names())
    assert [entry.id for entry in entries_named(("example:scaffnew::theorem-3.6",))] == [
        "scaffnew/theorem-3.6"
    ]


def test_one_that_is_not_there_is_told_with_the_nearest():
    with pytest.raises(FedboundsError, match="unknown example 'scafnew'; the nearest are scaffnew"):
        entries_named(("example:scafnew",))
