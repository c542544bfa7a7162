"""`import fedbounds as fb`: what is in it, and that nothing is loaded before it is asked for."""

import subprocess
import sys
from importlib import import_module
from xml.etree import ElementTree

import pytest
from own_files import own_file

import fedbounds as fb
from fedbounds.errors import FedboundsError
from fedbounds.verify.commands.command_line import status
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
