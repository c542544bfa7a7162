"""`import fedbounds as fb`: what is in it, and that nothing is loaded before it is asked for."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest
from own_files import own_file

import fedbounds as fb
from fedbounds.errors import FedboundsError
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.commands.verdicts import Verdicts
from fedbounds.verify.page.inline import picture
from fedbounds.verify.page.runs import LEFT, RIGHT, CurveData
from fedbounds.vocabulary import Standing


def test_every_name_is_what_its_module_has():
    assert set(fb._TOUR) < set(dir(fb))
    for name, module in fb._TOUR.items():
        assert getattr(fb, name) is getattr(import_module(module), name)
        assert getattr(fb, name).__doc__


def test_packages_are_modules():
    for name in fb._PACKAGES:
        assert getattr(fb, name) is import_module(f"fedbounds.{name}")


def test_no_function_is_called_like_a_package():
    assert not set(fb._TOUR) & set(fb._PACKAGES)


def test_what_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'lemma'"):
        _ = fb.lemma


def test_importing_it_loads_nothing():
    code = (
        "import sys; import fedbounds; "
        "print(*(x for x in sys.modules if x.partition('.')[0] in ('sympy', 'numpy', 'fedbounds')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["fedbounds"]


def test_a_first_look():
    assert "fedplt" in fb.papers()
    found = fb.claim("personalization/thm-3.7")
    given = {"sigma_u2": 1, "sigma_v2": 1, "b2": 1, "L": 1, "F_0": 1, "gamma": "1/200"}
    assert found.evaluate(n=100, m=10, K=5, T=1000, **given).parts[0].value.number < 1


GIVEN = {"sigma_u2": 1, "sigma_v2": 1, "b2": 1, "L": 1, "F_0": 1, "n": 100, "m": 10, "T": 1000}


def test_a_bound_is_a_table_that_a_notebook_shows():
    told = fb.bound("personalization/thm-3.7", K=5, **GIVEN)
    value = told.found.parts[0].value
    assert len(told.table.rows) == len(value.terms) + 1
    assert sum(row[3] for row in told.table.rows[:-1]) == pytest.approx(1)
    html = told._repr_html_()
    assert html.startswith("<table>")
    assert html.count("<tr>") == len(told.table.rows) + 1
    assert str(told).startswith("| part |")
    assert repr(told) == "<table of 4 rows: part, term, value, share>"


def test_two_bounds_are_compared():
    names = "personalization/thm-3.7", "personalization/thm-4.5"
    told = fb.compare(*names, over={"K": "1:4"}, **GIVEN)
    assert len(told.table.rows) == 4
    assert told._repr_html_().count("<tr>") == 5


def test_a_search_tells_witnesses_and_tightest_instances():
    told = fb.search("personalization/lem-A.2", examples=5, budget=20)
    assert told.table.rows
    readings = fb.claim("personalization/lem-A.2").readings
    assert [one.reading for one in told.found] == list(readings)
    assert "<td>" in told._repr_html_()


def test_all_claims_of_a_paper_are_listed():
    found = fb.claims("fedplt")
    assert {entry.paper for entry in found} == {"fedplt"}
    assert found._repr_html_().count("<tr>") == len(found) + 1
    assert len(repr(found)) < 100
    assert len(fb.claims("fedplt/alpha", "fedplt/psi")) == 2


def test_proofs_show_how_each_stands():
    found = fb.prove("personalization/lem-A.2-pair")
    rows = {row[0]: row[1] for row in found.table.rows}
    assert rows["personalization/lem-A.2-pair"] == "proved"
    assert "<td>proved</td>" in found._repr_html_()
    assert len(repr(found)) < 100
    with pytest.raises(FedboundsError, match="nothing named"):
        fb.prove()
    with pytest.raises(FedboundsError, match="no proof"):
        fb.prove("personalization/sc-fedavg")


def test_a_chain_has_what_is_given_and_numbers_that_break_a_step():
    found = fb.prove("fedplt/jensen-distance")
    (row,) = found.chain("fedplt/global-is-average").rows
    step, statement, _, says, _, broken = row
    assert (step, says) == ("global-is-average:direction", "does not follow")
    assert "=" in statement
    assert broken.startswith("left = 1, right = 0, ")
    assert "W = 1" in broken
    chain = found.chain("fedplt/jensen-distance")
    assert [row[0] for row in chain.rows] == ["jensen-distance", "jensen-distance/corrected"]
    assert chain.rows[1][2].startswith(r"$\frac{1}{2}$ · def D_W (one step); $-1$ · def V_W")
    assert chain.rows[1][2].count("^2$") == 1
    assert "<td>$" in chain._repr_html_()
    with pytest.raises(FedboundsError, match="jensen-distance"):
        found.chain("fedplt/jensen-distanc")


def test_a_chain_begins_with_what_its_proof_takes_as_given():
    name = "fedplt/A2.2-part2/corrected"
    found = fb.prove(name)
    *given, step = found.chain(name).rows
    (givens,) = (row[4] for row in found.table.rows if row[0] == name)
    assert {row[0] for row in given} == set(givens.split(", "))
    assert all(row[0] in step[2] for row in given)
    assert {row[3] for row in given} == {"given"}
    assert step[3] == "proved"


def test_a_run_is_what_the_command_finds_and_reads_back(tmp_path):
    body = """
me.claim("grows", "D_W(t+1) <= D_W(t)/1000")
me.claim("far", "D_W(t+1) <= 1000*D_W(t) + 1000")
"""
    file, folder = own_file(tmp_path, body=body), tmp_path / "results"
    found = fb.run(file, profile="quick", out=folder)
    assert {name: one.standing for name, one in found.items()} == {
        "me/grows": Standing.REFUTED,
        "me/far": Standing.TESTED,
    }
    assert repr(found) == "<2 claims: 1 tested, 1 refuted>"
    assert repr(found["me/grows"]).startswith("<me/grows is refuted")
    assert " > " in found["me/grows"].fails
    assert found["me/far"].fails == ""
    assert found._repr_html_().count("<tr>") == 3
    assert "<math>" in found["me/far"]._repr_html_()
    again = fb.results(folder)
    assert again.document == found.document
    assert status(["diff", str(folder), str(folder)]) == 0
    kept = fb.run(file, profile="quick")  # nothing is left of this one
    assert {x: y.standing for x, y in kept.items()} == {x: y.standing for x, y in found.items()}
    with pytest.raises(FedboundsError, match="me/far"):
        found["me/fat"]
    with pytest.raises(FedboundsError, match="quick"):
        fb.run(file, profile="quik")


def test_a_verdict_is_asked_for_as_in_any_mapping(tmp_path):
    found = fb.run(own_file(tmp_path), profile="quick")
    assert "me/a" in found
    assert "me/b" not in found
    assert found.get("me/b") is None
    assert found.get("me/a").standing is Standing.TESTED


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"seed": -1}, "seed is -1"),
        ({"seed": "a"}, "seed is 'a'"),
        ({"workers": 0}, "workers is 0"),
        ({"profile": None}, "unknown profile 'None'"),
    ],
)
def test_what_a_command_refuses_is_refused_from_python_too(tmp_path, given, told):
    with pytest.raises(FedboundsError, match=told):
        fb.run(own_file(tmp_path), **{"profile": "quick", **given})


def test_a_file_is_named_by_its_path_too(tmp_path):
    file = own_file(tmp_path)
    assert [one.id for one in fb.claims(Path(file))] == ["me/a"]
    with pytest.raises(FedboundsError, match="names no claims"):
        fb.claims([file])


def test_a_claim_of_a_file_without_a_proof_has_nothing_to_replay(tmp_path):
    with pytest.raises(FedboundsError, match="me/a has no proof"):
        fb.prove(f"{own_file(tmp_path)}::a")


def test_a_verdict_never_shows_the_formula_of_another_file(tmp_path):
    """A file that was changed since, or one of the same key that a stranger's results are of."""
    file = own_file(tmp_path, body='me.claim("a", "D_W(t+1) <= D_W(t)/1000")')
    folder = tmp_path / "results"
    one = fb.run(file, profile="quick", out=folder)["me/a"]
    assert "<math>" in one._repr_html_()
    fb.run(own_file(tmp_path, body='me.claim("a", "D_W(t+1) <= 1000*D_W(t) + 1")'), profile="quick")
    for shown in (one, fb.results(folder)["me/a"]):
        assert "<math>" not in shown._repr_html_()
        assert "D_W(t+1) &lt;= D_W(t)/1000" in shown._repr_html_()


def test_proofs_stay_what_they_were_found_to_be(tmp_path):
    body = """
me.given("one", "D_W(t+1) <= 1000*D_W(t) + 1000", "why")
me.claim("two", "D_W(t+1) <= 1000*D_W(t) + 2000", uses=["one"])
"""
    found = fb.prove(own_file(tmp_path, body=body))
    rows = found.table.rows
    fb.claims(own_file(tmp_path, body=body.replace('"two"', '"three"')))
    assert found.table.rows == rows
    assert [row[0] for row in rows] == ["me/two"]


def test_a_folder_that_is_run_again_speaks_of_the_last_run_alone(tmp_path):
    folder = tmp_path / "results"
    file = own_file(tmp_path, body='me.claim("a", "D_W(t+1) <= D_W(t)/1000")')
    assert status(["verify", file, "--quick", "--out", str(folder)]) == 0
    old = "D_W(t)/1000"
    assert old in (folder / "index.html").read_text("utf-8")
    certificates = (folder / "proofs.json").read_bytes()
    body = """
me.given("a", "D_W(t+1) <= 1000*D_W(t) + 1000", "why")
me.claim("b", "D_W(t+1) <= 1000*D_W(t) + 2000", uses=["a"])
"""
    fb.run(own_file(tmp_path, body=body), profile="quick", out=folder)
    assert old not in (folder / "index.html").read_text("utf-8")
    assert (folder / "proofs.json").read_bytes() != certificates


def broken_folder(tmp_path):
    folder = tmp_path / "results"
    file = own_file(tmp_path, body='me.claim("a", "D_W(t+1) <= D_W(t)/1000")')
    (script,) = fb.run(file, profile="quick", out=folder).scripts
    return folder, folder / script


def test_a_script_that_no_record_names_is_not_read(tmp_path):
    folder, script = broken_folder(tmp_path)
    (script.parent / "other.py").symlink_to("/etc/hostname")
    assert list(fb.results(folder).scripts) == [f"witnesses/{script.name}"]


def test_a_script_outside_the_folder_is_not_read(tmp_path):
    folder, script = broken_folder(tmp_path)
    (tmp_path / "secret").write_text("secret", "utf-8")
    script.unlink()
    script.symlink_to(tmp_path / "secret")
    with pytest.raises(FedboundsError, match="leads out of"):
        fb.results(folder)


def test_a_script_that_is_no_text_is_refused_and_what_is_no_file_passed_over(tmp_path):
    folder, script = broken_folder(tmp_path)
    script.write_bytes(b"\xff\xfe")
    with pytest.raises(FedboundsError, match="not UTF-8"):
        fb.results(folder)
    with script.open("wb") as file:
        file.truncate(2**30)
    with pytest.raises(FedboundsError, match="size of"):
        fb.results(folder)
    script.unlink()
    script.mkdir()
    assert fb.results(folder).scripts == {}


def test_what_results_say_is_shown_as_text(tmp_path):
    folder, _ = broken_folder(tmp_path)
    document = fb.results(folder).document
    (claim,) = document["claims"].values()
    claim |= {"place": "<img 1>", "text": "<img 2>"}
    claim["readings"][0] |= {"name": "<img 3>", "ambiguity": "<img 4>"}
    for row in document["results"]:
        row |= {"reading": "<img 3>", "reason": "<img 5>", "left": None}
        row["problem"]["instance"] = "<img 6>"
        row["key"] = "0"
    found = Verdicts(document, {})
    one = found["me/a"]
    html = "".join(x._repr_html_() for x in (found, one, one.readings, one.proof))
    assert "<img" not in html
    assert "&lt;img" in html


def test_numbers_above_all_floats_are_judged_and_summed_up(tmp_path):
    """Constants such as G_0, and sides, of which one is negative."""
    far = "[quadratic([[[1]]], [[0]], [10**200])]"
    file = own_file(tmp_path, problems=far, body="""
me.claim("a", "D_W(t+1) <= D_W(t)")
me.claim("b", "-D_W(t) <= -D_W(t+1)")
me.claim("c", "-2*D_W(t+1) <= -2*D_W(t)")
""")  # fmt: skip
    found = fb.run(file, profile="quick")
    assert [one.standing.value for one in found.values()] == ["tested", "tested", "refuted"]


def test_laws_of_a_file_are_told(tmp_path):
    found = fb.check_laws(own_file(tmp_path))
    assert {one.verdict for one in found} <= {"kept", "broken", "not checked"}
    assert found._repr_html_().count("<tr>") == len(found) + 1
    assert repr(found).startswith(f"<{len(found)} laws: ")
    with pytest.raises(FedboundsError, match="fedplt is no file"):
        fb.check_laws("fedplt")


def test_a_curve_is_a_picture_by_itself():
    sides = {LEFT: [1.0, 0.1, None], RIGHT: [2.0, 1.0, 0.5]}
    drawn = CurveData({"problem": {"instance": "a < b"}}, [0.0, 1.0, 2.0], sides, {})
    svg = ElementTree.fromstring(picture(drawn))
    assert "a < b" in svg.attrib["aria-label"]
    lines = [x.attrib["d"] for x in svg.iter("path")]
    assert [line.count("L") for line in lines[1:]] == [1, 2]
    nothing = CurveData({"problem": {"instance": ""}}, [0.0], {LEFT: [0.0]}, {})
    assert picture(nothing) == ""


def test_what_has_no_bound_is_refused():
    with pytest.raises(FedboundsError, match="no bound"):
        fb.bound("personalization/sc-fedavg")


def test_a_table_shows_text_as_text():
    from fedbounds.verify.page.exports.table import table

    found = table(("a<b", "x"), [("<i>", None), (0.25, 3)])._repr_html_()
    assert "<i>" not in found
    assert "&lt;i&gt;" in found
    assert "<td>0.25</td><td>3</td>" in found
