"""Every figure of the page is a file with its numbers, and the same bytes each time."""

import csv
import xml.etree.ElementTree as ET

import pytest
from pages import LIKE, PRINTED, THEOREM, Page, claim, gather, name_of, proved_document, record

from fedbounds.errors import FedboundsError
from fedbounds.verify.page.exports import draw
from fedbounds.verify.page.exports.figures import FORMATS, figures, write_figures
from fedbounds.verify.page.written import site

CURVE = {"rounds": [0, 1, 2, 5], "left": [1.0, 0.5, 0.0, 0.25], "right": [2.0, 2.0, 1.0, 1.0]}
CURVE |= {"mean": [1.0, 0.75, 0.5, 0.4375], "low": [0.5, 0.2, None, 0.1], "high": [1.5, 1, 1, 1]}
LADDER = {"parameter": "gamma", "values": ["1/2", "1/4", "1/8"]}
LADDER |= {"series": {"P": [4.0, 2.0, 1.0], "rho": [0.5, 0.75, 0.875]}}
LADDER |= {"fit": {"series": "P", "exponent": 1.0, "low": 0.9, "high": 1.1, "symbolic": "1"}}
NAMED = LADDER | {"parameter": "algorithm", "values": ["a", "b", "c"], "fit": None}


@pytest.fixture
def document():
    slack = [
        {"name": "lem-3.1", "amount": 0.3, "share": 0.6},
        {"name": "$_x", "amount": 0.2, "share": 0.4},
    ]
    rows = [
        record(THEOREM, PRINTED, "not violated", 0.5, curve=CURVE, slack=slack, regime="noise"),
        record(THEOREM, PRINTED, "violated", 1.5, instance="worse", ladder=LADDER),
        record(THEOREM, PRINTED, "undecided", 0.0, instance="$zero_1$", ladder=NAMED),
    ]
    like = [record(LIKE, PRINTED, "not violated", 0.6)]
    for row in (like[0], like[0]["parts"][0]):
        row["tightness"] = None  # a side with negative terms
    return gather(
        (claim(THEOREM, "refuted", rows, uses=[LIKE]), rows),
        (claim(LIKE, "tested", like, uses=[]), like),
    )


def numbers(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_figure_is_written_with_its_numbers(document, tmp_path):
    paths = write_figures(document, tmp_path, FORMATS)
    assert sorted(paths) == sorted(tmp_path.iterdir())
    theorem, like = "personalization-thm-3.7", "toy-claim-1"
    names = {f"{theorem}-{kind}" for kind in ("tightness", "slack-1", "rounds", "ladder-1")}
    names |= {f"{like}-relative-gap", "dependences"}
    drawn = {p.stem for p in paths if p.suffix == ".svg"}
    assert drawn == {p.stem for p in paths if p.suffix == ".pdf"} == names
    assert {p.stem for p in paths if p.suffix == ".csv"} == names | {f"{theorem}-ladder-2"}
    rows = numbers(tmp_path / f"{theorem}-tightness.csv")
    assert [(r["instance"], r["tightness"], r["verdict"]) for r in rows] == [
        ("quadratic 1", "0.5", "not violated"),
        ("worse", "1.5", "violated"),
        ("$zero_1$", "0.0", "undecided"),
    ]
    rounds = numbers(tmp_path / f"{theorem}-rounds.csv")
    assert "left / right" not in rounds[0]  # no single round is held against a bound of the mean
    assert [r["low"] for r in rounds] == ["0.5", "0.2", "", "0.1"]
    ladder = numbers(tmp_path / f"{theorem}-ladder-1.csv")
    assert [r["gamma"] for r in ladder] == ["1/2", "1/4", "1/8"]
    assert [
        float(r["symbolic slope 1 of P, limit of G_u + (m/n) G_v"]) for r in ladder
    ] == pytest.approx([4, 2, 1])
    shares = [float(r["share"]) for r in numbers(tmp_path / f"{theorem}-slack-1.csv") if r["share"]]
    assert sum(shares) == pytest.approx(1)
    assert all(p.read_bytes().startswith(b"%PDF") for p in paths if p.suffix == ".pdf")
    assert all(ET.parse(p).getroot().tag.endswith("svg") for p in paths if p.suffix == ".svg")
    uses = numbers(tmp_path / "dependences.csv")
    assert uses[0] == {"claim": THEOREM, "standing": "refuted", "rests directly on": LIKE}


def test_there_are_as_many_as_on_the_pages_of_claims(document):
    names = [name_of(key) for key in document["claims"]]
    pages = [Page(text) for name, text in site(document).items() if name in names]
    assert len(pages) == len(names)
    told = sum(len(page.all("figure")) for page in pages) + sum(
        "waterfall" in str(t["attributes"]) for page in pages for t in page.all("table")
    )
    drawn = [f.name for f in figures(document) if f.name != "dependences"]
    assert len(drawn) == told


def saved(document, folder, form):
    """One figure of each sort of drawing that holds text, paths and areas."""
    folder.mkdir()
    for figure in figures(document):
        if figure.name.endswith(("-rounds", "dependences")):
            (folder / f"{figure.name}.{form}").write_bytes(draw.drawn(figure.draw, form))
    return sorted(folder.iterdir())


@pytest.mark.parametrize(("form", "date"), [("svg", b"dc:date"), ("pdf", b"CreationDate")])
def test_bytes_are_the_same_each_time_and_hold_no_date(form, date, document, tmp_path):
    pairs = zip(*(saved(document, tmp_path / run, form) for run in "ab"), strict=True)
    for one, other in pairs:
        assert one.read_bytes() == other.read_bytes(), one.name
        assert date not in one.read_bytes()


def test_a_date_would_be_caught(document, tmp_path, monkeypatch):
    monkeypatch.setattr(draw, "_METADATA", {"svg": {"Date": "2020-01-01"}})
    with pytest.raises(AssertionError):
        test_bytes_are_the_same_each_time_and_hold_no_date("svg", b"dc:date", document, tmp_path)


def test_words_of_a_claim_are_drawn_as_they_are(document, tmp_path):
    write_figures(document, tmp_path, ["svg"])
    assert "$_x" in (tmp_path / "personalization-thm-3.7-slack-1.svg").read_text()
    assert not list(tmp_path.glob("*.pdf"))


def test_documents_without_figures_and_with_proofs(tmp_path):
    assert {f.name for f in figures(gather())} == set()
    assert write_figures(proved_document(), tmp_path, ["svg"])


def test_a_hole_or_a_folder_that_is_a_file_is_one_line(document, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(FedboundsError, match=r"cannot write .*is no folder"):
        write_figures(document, blocked, ["svg"])
    del document["results"][0]["evidence"]
    with pytest.raises(FedboundsError, match="incomplete"):
        write_figures(document, tmp_path, ["svg"])
