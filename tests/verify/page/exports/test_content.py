"""Two runs are compared by what they judged: planted changes are found, names are no change."""

import copy
import csv
import io
import json
import random
from contextlib import redirect_stderr, redirect_stdout

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import LEMMA, LIKE, PRINTED, SUMMED, THEOREM, claim, gather, record, write

from fedbounds.errors import FedboundsError
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.page.exports import judged
from fedbounds.verify.page.exports.content import GRAVITY, What, compare
from fedbounds.verify.page.exports.judged import Judged, read_content
from fedbounds.verify.page.exports.pairing import pair_up

EXACT = {"left": "1/3", "right": "1/2", "gap": "1/6", "tightness": 2 / 3}
BROKEN = {"left": "7/4", "right": "1", "gap": "-3/4", "tightness": 1.75, "round": 2}


def row(claim_id, reading, verdict, setup, *parts, **more):
    """A record of a set-up with parts of given numbers."""
    made = record(claim_id, reading, verdict, parameters={"n": 2, **setup}, **more)
    blank = made["parts"][0]
    made["parts"] = [blank | {"verdict": verdict} | part for part in parts]
    return made


def document():
    """Two theorems and a lemma: exact and real sides, a violation, two records of one set-up."""
    theorem = [
        row(THEOREM, PRINTED, "not violated", {"gamma": "1/32"}, EXACT),
        row(THEOREM, PRINTED, "not violated", {"gamma": 0.1}, {"left": 0.2, "right": 0.7, "gap": 0.5}),
        row(THEOREM, SUMMED, "violated", {"gamma": "1/32"}, BROKEN),
        row(THEOREM, SUMMED, "violated", {"gamma": "1/8"}, BROKEN | {"left": "2", "gap": "-1"}),
    ]  # fmt: skip
    like = [
        row(LIKE, PRINTED, "not violated", {}, {"part": "a", **EXACT}, {"part": "b", "round": 3}),
        row(LIKE, PRINTED, "not violated", {}, {"part": "a", "left": "1/4", "right": "1/2", "gap": "1/4"}),
    ]  # fmt: skip
    lemma = [row(LEMMA, PRINTED, "violated", {"K": 5}, BROKEN, comparison={"word": "dominated"})]
    return gather(
        (claim(THEOREM, "refuted", theorem, (PRINTED, SUMMED)), theorem),
        (claim(LIKE, "tested", like), like),
        (claim(LEMMA, "refuted", lemma), lemma),
    )


@pytest.fixture
def told(tmp_path):
    """What `compare` tells of two documents."""

    def compared(old, new, **more):
        before, after = (
            read_content(write(side, tmp_path / name) / "results.json")
            for name, side in (("old", old), ("new", new))
        )
        return compare(before, after, **more)

    return compared


def short(comparison):
    return {(one.what, one.claim, one.field) for one in comparison.differences}


# ---- what is no change


def test_a_run_agrees_with_itself_and_everything_is_counted(told):
    found = told(document(), document())
    assert found.differences == ()
    agreed = found.agreed
    assert (agreed.exact, agreed.rounded, agreed.wordless, agreed.softened) == (6, 2, 0, 0)
    assert (agreed.violations, agreed.standings, agreed.applicable, agreed.tightness) == (
        3,
        3,
        4,
        4,
    )


def renamed(data, seed):
    """The same content under other names, in another order."""
    dice = random.Random(seed)
    data = copy.deepcopy(data)
    for at, one in enumerate(data["results"]):
        one["key"] = f"other-{seed}-{at}"
        one["problem"] |= {"instance": f"renamed {dice.random()}", "family": "other"}
        one["algorithm"] = f"algorithm {at}"
        one["evidence"] |= {"method": "sampling", "premise": "another"}
        one["reason"] = "another"
        dice.shuffle(one["parts"])
    dice.shuffle(data["results"])
    data["claims"] = dict(dice.sample(sorted(data["claims"].items()), len(data["claims"])))
    data["run"] |= {"seed": 9, "source": "1" * 64}
    return data


def test_names_keys_methods_and_order_are_no_change(told):
    for seed in range(10):
        assert told(document(), renamed(document(), seed)).differences == ()


def test_reals_that_are_near_and_numbers_written_otherwise_are_no_change(told):
    new = document()
    first, second = new["results"][:2]
    first["parameters"]["gamma"] = 1 / 32
    first["parts"][0] |= {"left": 1 / 3, "gap": 1 / 6 + 1e-16}
    second["parameters"]["gamma"] *= 1 + 1e-14
    second["parts"][0] |= {"left": 0.2 * (1 + 1e-14), "right": "7/10"}
    second["constants"]["L"]["value"] = 1.0
    found = told(document(), new)
    assert found.differences == ()
    assert (found.agreed.softened, found.agreed.exact) == (1, 5)
    assert 0 < found.agreed.widest < 1e-13


def test_more_records_and_more_tightness_are_counted_and_no_change_of_a_claim(told):
    new = document()
    summary = new["claims"][LIKE]["readings"][0]
    summary["counts"]["not violated"] += 1
    summary["tightness"] *= 1.5
    found = told(document(), new)
    assert found.differences == ()
    assert (found.agreed.more, found.agreed.tighter) == (1, 1)


# ---- what is


def part(data, at, **more):
    data["results"][at]["parts"][0] |= more


def summary(data, claim_id, **more):
    data["claims"][claim_id]["readings"][0] |= more


# what is done to the new document, and all that is told of it
PLANTED = [
    (lambda d: d["results"].pop(2), {(What.VIOLATION, THEOREM, "part"), (What.ONLY_OLD, THEOREM, "record")}),
    (lambda d: part(d, 2, verdict="undecided"), {(What.VIOLATION, THEOREM, "verdict")}),
    (lambda d: part(d, 2, left="7/5", gap="-2/5"), {(What.VIOLATION, THEOREM, "left")}),
    (lambda d: part(d, 2, gap="3/4"), {(What.VIOLATION, THEOREM, "gap")}),
    (lambda d: part(d, 2, relation="=="), {(What.VIOLATION, THEOREM, "relation")}),
    (lambda d: part(d, 2, part="renamed"), {(What.VIOLATION, THEOREM, "part"), (What.ONLY_NEW, THEOREM, "part")}),
    (lambda d: d["claims"][LIKE].update(standing="gap", paper_proof="gap"), {(What.STANDING, LIKE, "standing")}),
    (lambda d: d["claims"][LIKE].update(paper_proof="gap"), {(What.STANDING, LIKE, "paper_proof")}),
    (lambda d: d["claims"][LIKE].update(severity="rate"), {(What.STANDING, LIKE, "severity")}),
    (lambda d: summary(d, LIKE, statement="untested"), {(What.STANDING, LIKE, "statement")}),
    (lambda d: d["claims"][THEOREM]["readings"].pop(), {(What.STANDING, THEOREM, "reading")}),
    (lambda d: d["claims"].pop(LIKE), {(What.STANDING, LIKE, "claim")}),
    (lambda d: d["claims"].update(new=d["claims"][LIKE]), {(What.ONLY_NEW, "new", "claim")}),
    (lambda d: summary(d, LIKE, counts={"not violated": 1, "outside conditions": 9}), {(What.FEWER, LIKE, "applicable records")}),
    (lambda d: summary(d, LIKE, tightness=0.6666), {(What.TIGHTNESS, LIKE, "tightness")}),
    (lambda d: summary(d, LIKE, tightness=None), {(What.TIGHTNESS, LIKE, "tightness")}),
    (lambda d: part(d, 0, relation="=="), {(What.RELATION, THEOREM, "relation")}),
    (lambda d: part(d, 0, left="1" + "0" * 30 + "/3" + "0" * 29 + "1"), {(What.SIDES, THEOREM, "left")}),
    (lambda d: part(d, 0, right=None), {(What.SIDES, THEOREM, "right")}),
    (lambda d: part(d, 0, gap="1/7"), {(What.SIDES, THEOREM, "gap")}),
    (lambda d: part(d, 1, left=0.2 * (1 + 1e-11)), {(What.SIDES, THEOREM, "left")}),
    (lambda d: part(d, 1, gap=0.5 + 1e-11), {(What.SIDES, THEOREM, "gap")}),
    (lambda d: part(d, 1, left=0.3, round=1), {(What.SIDES, THEOREM, "left")}),
    (lambda d: part(d, 1, verdict="violated"), {(What.VERDICT, THEOREM, "verdict")}),
    (lambda d: d["results"][-1]["comparison"].update(word="incomparable"), {(What.VERDICT, LEMMA, "word")}),
    (lambda d: part(d, 1, round=1), {(What.ROUND, THEOREM, "round")}),
    (lambda d: part(d, 2, round=1), {(What.ROUND, THEOREM, "round")}),
    (lambda d: d["results"].pop(0), {(What.ONLY_OLD, THEOREM, "record")}),
    (lambda d: d["results"].append(row(LIKE, PRINTED, "violated", {"T": 1}, BROKEN)), {(What.ONLY_NEW, LIKE, "record")}),
    (lambda d: d["results"][4]["parts"].pop(), {(What.ONLY_OLD, LIKE, "part")}),
    (lambda d: d["results"][0]["parameters"].update(p="1/2"), {(What.SETUP, THEOREM, "set-up")}),
    (lambda d: d["results"][0]["constants"].pop("L"), {(What.SETUP, THEOREM, "set-up")}),
    (lambda d: d["results"][0]["problem"].update(noise="signs"), {(What.SETUP, THEOREM, "set-up")}),
    (lambda d: (part(d, 0, left="1/4"), d["results"][0]["parameters"].update(p=1)), {(What.SIDES, THEOREM, "left"), (What.SETUP, THEOREM, "set-up")}),
    (lambda d: d["results"][0]["parameters"].update(gamma="1/33"), {(What.ONLY_OLD, THEOREM, "record"), (What.ONLY_NEW, THEOREM, "record")}),
    (lambda d: d["results"][1]["parameters"].update(gamma=0.1 + 1e-11), {(What.ONLY_OLD, THEOREM, "record"), (What.ONLY_NEW, THEOREM, "record")}),
]  # fmt: skip


def test_a_planted_change_is_told_and_nothing_else(told):
    assert {what for _, expected in PLANTED for what, _, _ in expected} == set(What)
    for at, (plant, expected) in enumerate(PLANTED):
        new = document()
        plant(new)
        found = told(document(), new)
        assert short(found) == expected, at
        assert len(found.differences) == len(expected), at
        if any(what == What.VIOLATION for what, _, _ in expected):
            assert found.agreed.violations == 2, at


def test_no_tolerance_hides_a_side_that_is_not_there(told):
    new = document()
    part(new, 0, left=None)
    part(new, 1, gap=None)
    assert len(told(document(), new, tolerance=1.0).differences) == 2


def test_the_gravest_come_first(told):
    new = document()
    for at in (0, 2):
        part(new, at, left="1/5", round=9)
    part(new, 1, verdict="undecided", round=8)
    new["claims"][THEOREM]["standing"] = "tested"
    summary(new, LIKE, counts={}, tightness=0.1)
    new["results"].append(row(LIKE, PRINTED, "violated", {"T": 1}, BROKEN))
    order = [one.what for one in told(document(), new).differences]
    assert order == sorted(order, key=GRAVITY.__getitem__)
    assert order[:4] == [What.VIOLATION, What.STANDING, What.FEWER, What.TIGHTNESS]


def test_a_tolerance_is_for_reals_alone_and_tightness_has_its_own_floor(told):
    new = document()
    part(new, 1, left=0.2 * (1 + 1e-7))
    part(new, 0, left="333333333/1000000000")
    summary(new, LIKE, tightness=new["claims"][LIKE]["readings"][0]["tightness"] * (1 - 1e-10))
    assert len(told(document(), new).differences) == 2
    (left,) = told(document(), new, tolerance=1e-6).differences
    assert (left.old, left.relative) == ("1/3", pytest.approx(1e-9))


def test_two_exact_numbers_are_two_set_ups_however_near_they_are(told):
    near = {"gamma": "1" + "0" * 20 + "/32" + "0" * 19 + "1"}
    new = document()
    new["results"][0]["parameters"] |= near
    assert short(told(document(), new)) == {
        (What.ONLY_OLD, THEOREM, "record"), (What.ONLY_NEW, THEOREM, "record"),
    }  # fmt: skip


def test_a_gap_of_reals_is_known_as_well_as_its_sides(told):
    old, new = document(), document()
    part(old, 1, left=1.0, right=1.0 + 1e-12, gap=1.00e-12)
    part(new, 1, left=1.0, right=1.0 + 1e-12, gap=1.01e-12)
    assert told(old, new).differences == ()


def test_set_ups_with_other_facts_are_paired_by_their_numbers(told):
    def described(facts, left):
        one = row(LIKE, PRINTED, "not violated", {}, EXACT | {"left": left})
        return one | {"parameters": facts, "constants": {}}

    rows = [described({"n": 2, "a": 1, "b": 2}, x) for x in ("1/3", "1/4")]
    others = [described({"n": 2, "c": 3, "d": 4, "e": 5}, x) for x in ("1/4", "1/3")]
    old, new = (gather((claim(LIKE, "tested", side), side)) for side in (rows, others))
    assert [(one.what, one.old, one.new) for one in told(old, new).differences] == [
        (What.SETUP, "a=1, b=2", "c=3, d=4, e=5"), (What.SETUP, "a=1, b=2", "c=3, d=4, e=5"),
    ]  # fmt: skip
    new["results"][0]["parts"][0]["left"] = "1/5"  # little in common, and other numbers
    found = [one.what for one in told(old, new).differences if one.setup]
    assert found == [What.ONLY_OLD, What.ONLY_NEW, What.SETUP]


# ---- several records of one set-up


def crowd(numbers):
    rows = [
        row(LIKE, PRINTED, "not violated", {}, {"left": x, "right": 2.0, "gap": 2.0 - x})
        for x in numbers
    ]
    return gather((claim(LIKE, "tested", rows), rows))


@given(st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0]), min_size=1, max_size=8), st.randoms())
def test_records_of_one_set_up_are_a_multiset(tmp_path_factory, numbers, dice):
    folder = tmp_path_factory.mktemp("crowd")
    mixed = dice.sample(numbers, len(numbers))
    moved = [x * (1 + 1e-15) for x in mixed]
    old, new = (
        read_content(write(crowd(side), folder / name) / "results.json")
        for name, side in (("old", numbers), ("new", moved))
    )
    assert compare(old, new).differences == ()
    fewer = compare(old, read_content(write(crowd(mixed[1:]), folder / "less") / "results.json"))
    records = [one.what for one in fewer.differences if one.setup]
    assert records == [What.ONLY_OLD]


def test_the_nearest_are_paired_and_the_rest_is_told(told):
    old, new = crowd([0.1, 0.5, 1.0]), crowd([0.98, 0.1, 0.3])
    found = told(old, new).differences
    assert [(one.old, one.new) for one in found if one.what == What.SIDES] == [
        (0.5, 0.3), (1.0, 0.98),
    ]  # fmt: skip
    found = told(old, crowd([1.02])).differences
    assert [(one.old, one.new) for one in found if one.what == What.SIDES] == [(1.0, 1.02)]
    assert sum(one.what == What.ONLY_OLD for one in found) == 2


def test_a_large_crowd_is_paired_too(told):
    numbers = [(at % 300 + 1) / 512 for at in range(500)]
    moved = [x * (1 + 1e-15) for x in random.Random(1).sample(numbers, 500)]
    moved[5] += 1e-6
    found = told(crowd(numbers), crowd(moved)).differences
    assert [one.what for one in found] == [What.SIDES]
    unlike = told(crowd(numbers[:250]), crowd([x + 100 for x in numbers[:250]])).differences
    assert sum(one.what == What.SIDES for one in unlike) == 250  # none is left over


def test_equal_numbers_with_other_words_do_not_depend_on_the_order(told):
    old = crowd([0.5, 0.5, 0.5])
    old["results"][1]["parts"][0]["verdict"] = "undecided"
    new = copy.deepcopy(old)
    new["results"].reverse()
    new["results"].append(new["results"].pop(1))
    assert told(old, new).differences == ()


# ---- reading


def older(data):
    """A document as schema 2 had it."""
    data = copy.deepcopy(data) | {"schema": 2}
    for one in data["results"]:
        for own in one["parts"]:
            del own["equal"], own["idle"]
    for one in data["claims"].values():
        one["best"] = None
        for reading in one["readings"]:
            for name in ("tightest", "idle", "equal_parts", "equal_everywhere"):
                del reading[name]
    return data


def test_an_older_schema_is_read(told):
    found = told(older(document()), document())
    assert found.differences == ()
    assert found.agreed.violations == 3


def test_records_kept_elsewhere_need_one_reader(told, tmp_path, monkeypatch):
    rows = document()["results"]
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "rows.json").write_text(json.dumps(rows))

    def beside(path, _):
        for one in judged.READERS[3](
            path, {"results": json.loads(path.with_name("rows.json").read_text())}
        ):
            assert isinstance(one, Judged)
            yield one  # fmt: skip

    monkeypatch.setattr(judged, "READERS", {**judged.READERS, 9: beside})
    new = document() | {"schema": 9}
    del new["results"]
    assert told(document(), new).differences == ()


def spoilt(**more):
    data = document()
    data["results"][0] |= more
    return data


def test_what_is_no_such_document_is_one_line(tmp_path):
    long = "1" * 100_001
    cases = [
        (document() | {"schema": 1}, "schema 1; expected 2 or 3 or 4"),
        (document() | {"schema": "x" * 999}, "schema x.*expected 2 or 3 or 4"),
        (document() | {"schema": True}, "schema True"),
        (document() | {"results": {}}, r"\(results is an object; expected a list"),
        (document() | {"claims": []}, "claims is a list"),
        (spoilt(reading=3), r"results\[0\].reading is 3; expected text"),
        (spoilt(parts=[{}]), r"results\[0\].parts\[0\].part is missing"),
        (spoilt(parameters={"n": "two"}), r"parameters.n is 'two'"),
        (spoilt(parameters={"n": "1/0"}), "zero below the line"),
        (spoilt(parameters={"n": "1e999"}), "that a float can hold"),
        (spoilt(parameters={"n": long}), "has 100001 characters"),
        (spoilt(constants={"L": {}}), r"constants.L.value is missing"),
    ]
    for data, says in cases:
        with pytest.raises(FedboundsError, match=says) as error:
            read_content(write(data, tmp_path) / "results.json")
        assert str(tmp_path) in str(error.value)
        assert len(str(error.value)) < 300


def test_an_edited_or_boundless_file_is_refused(tmp_path):
    path = write(document(), tmp_path) / "results.json"
    path.write_text(path.read_text().replace('"refuted"', '"tested"', 1))
    with pytest.raises(FedboundsError, match="was edited"):
        read_content(path)
    with path.open("ab") as file:
        file.truncate(2**30 + 1)
    with pytest.raises(FedboundsError, match="1073741825 bytes; expected at most 1073741824"):
        read_content(path)
    with pytest.raises(FedboundsError, match="no results file"):
        read_content(tmp_path / "nowhere.json")


def test_long_rationals_are_compared_exactly(told):
    old, new = document(), document()
    part(old, 0, left="1" * 9000 + "/7")
    part(new, 0, left="1" * 8999 + "2/7")
    (found,) = told(old, new).differences
    assert (found.what, found.relative) == (What.SIDES, 0.0)  # no float can tell them apart
    assert told(old, copy.deepcopy(old)).differences == ()


def test_pairs_are_made_once(tmp_path):
    side = read_content(write(document(), tmp_path) / "results.json").judged
    found = pair_up(side, side[:3])
    assert (len(found.pairs), len(found.otherwise), len(found.old)) == (3, 0, len(side) - 3)


# ---- the command


def call(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = status([str(argument) for argument in arguments])
    return code, out.getvalue(), err.getvalue()


def test_the_command_tells_statuses_and_rows(tmp_path):
    new = document()
    part(new, 2, left="7/5", gap="-2/5")
    places = write(document(), tmp_path / "old"), write(new, tmp_path / "new")
    same = call("diff", places[0], places[0], "--content", "--fail-on-change")
    assert (same[0], same[2]) == (0, "")
    assert "differs: nothing" in same[1]
    assert "violations there again: 3 of 3" in same[1]
    code, out, err = call("diff", *places, "--content", "--fail-on-change")
    assert (code, err) == (1, "")
    assert "violations there again: 2 of 3" in out
    assert call("diff", *places, "--content")[0] == 0
    rows = json.loads(call("diff", *places, "--content", "--format", "json")[1])
    assert [(r["what"], r["old"], r["new"]) for r in rows] == [("violation lost", "7/4", "7/5")]
    assert "gamma=1/32" in rows[0]["setup"]
    found = csv.DictReader(io.StringIO(call("diff", *places, "--content", "--format", "csv")[1]))
    assert [one["claim"] for one in found] == [THEOREM]
    for form in ("md", "tex"):
        assert "7/5" in call("diff", *places, "--content", "--format", form)[1]
    part(new, 2, left="7/4", gap="-3/4")
    part(new, 1, left=0.2 * (1 + 1e-10))
    write(new, places[1])
    assert call("diff", *places, "--content", "--fail-on-change")[0] == 1
    near = ("--tolerance", "1e-9")
    assert call("diff", *places, "--content", "--fail-on-change", *near)[0] == 0


def test_a_screen_is_enough_for_any_number_of_changes(tmp_path):
    old, new = document(), document()
    for plant, _ in PLANTED * 2:
        fresh = document()
        plant(fresh)
        for side, data in ((old, document()), (new, fresh)):
            side["results"] += [
                one | {"parameters": one["parameters"] | {"copy": len(old["claims"])}}
                for one in data["results"]
            ]
        name = f"toy/{len(old['claims'])}"
        old["claims"][name] = document()["claims"][LIKE]
        if LIKE in fresh["claims"]:
            new["claims"][name] = fresh["claims"][LIKE]
    places = write(old, tmp_path / "old"), write(new, tmp_path / "new")
    _, out, _ = call("diff", *places, "--content")
    rows = json.loads(call("diff", *places, "--content", "--format", "json")[1])
    lines = out.splitlines()
    assert len(rows) > 40 > len(lines)
    assert lines[3].startswith("violation lost")
    for what in {row["what"] for row in rows}:
        assert f"{what} {sum(row['what'] == what for row in rows)}" in out
    assert f"and {len(rows) - 24} more; `--format csv` has all" in out


def test_a_file_that_is_none_is_one_line(tmp_path):
    write(document() | {"schema": 7}, tmp_path)
    for arguments, says in (
        (("nowhere", "nowhere"), "no results file 'nowhere'"),
        ((tmp_path, tmp_path), "schema 7"),
    ):
        code, out, err = call("diff", *arguments, "--content")
        assert (code, out) == (2, "")
        assert says in err
        assert len(err.strip().splitlines()) == 1
