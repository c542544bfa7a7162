"""JSON from outside is plain data of the shape asked for, or one line with the file and the field."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedbounds import border
from fedbounds.border import anything, fields, fit, holding, listed, load, named, optional, word
from fedbounds.errors import FedboundsError

SHAPE = fields(
    {"name": border.text, "size": border.count, "rows": listed(fields({"x": border.number}))},
    {"word": word(["yes", "no"]), "by": named(optional(border.real)), "free": anything},
)
GOOD = {"name": "é\n", "size": 3, "rows": [{"x": 1.5}, {"x": "-7/3"}, {"x": "1.5e-7"}]}


def read(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    data, _ = load(path, "mend it")
    fit(path, data, SHAPE, "mend it")
    return data


def refused(path, text):
    """The line that a file is refused with."""
    with pytest.raises(FedboundsError) as error:
        read(path, text)
    line = str(error.value)
    assert str(path) in line
    assert line.endswith("mend it")
    assert line.isprintable()
    assert len(line) < 400
    return line


def test_what_fits_is_read_as_it_is(tmp_path):
    more = {"word": "no", "by": {"a": None, "b": 2}, "free": [{"deep": [None, True, "x"]}]}
    for data in (GOOD, GOOD | more):
        assert read(tmp_path / "x.json", json.dumps(data)) == data


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"name": NaN}', "name is NaN; expected text"),
        ('{"name": "a", "size": Infinity}', "size is Infinity"),
        ('{"name": "a", "size": -Infinity}', "size is -Infinity"),
        ('{"name": "\\ud800"}', r"name is '\ud800'; expected text"),
        ('{"name": "\\u0000"}', r"name is '\x00'; expected text"),
        ('{"name": "\\u001b]0;x\\u0007"}', "name is '\\x1b]0;x\\x07'"),
        ('{"name": "a", "name": "b"}', "name is given twice"),
        ('{"name": "a", "size": -1}', "size is -1; expected a whole number, 0 to 1e+15"),
        ('{"name": "a", "size": true}', "size is True"),
        ('{"name": "a", "size": 1.0}', "size is 1.0"),
        ('{"name": "a", "size": 1' + "0" * 5000 + "}", "size is a number of 5001 digits"),
        ('{"name": "a", "size": 1}', "rows is missing"),
        ('{"name": "a", "size": 1, "rows": {}}', "rows is an object; expected a list"),
        ('{"name": "a", "size": 1, "rows": [3]}', "rows[0] is 3; expected an object"),
        ('{"name": "a", "size": 1, "rows": [{"x": 1e400}]}', "rows[0].x is inf"),
        ('{"name": "a", "size": 1, "rows": [{"x": "1e400000"}]}', "rows[0].x is '1e400000'"),
        ('{"name": "a", "size": 1, "rows": [{"x": "nan"}]}', "rows[0].x is 'nan'"),
        ('{"name": "a", "size": 1, "rows": [{"y": 1}]}', "rows[0].x is missing"),
        ('{"name": "a", "size": 1, "rows": [], "wird": 1}',
         "wird is no known field; expected 'word'"),
        ('{"name": "a", "size": 1, "rows": [], "word": "maybe"}', "word is 'maybe'; expected no, y"),
        ('{"name": "a", "size": 1, "rows": [], "by": {"\\ud800": 1}}', r"by['\ud800']"),
        ('{"name": "a", "size": 1, "rows": [], "by": {"a b": "x"}}', "by['a b'] is 'x'"),
        ('{"name": "a", "size": 1, "rows": [], "free": {"a": [NaN]}}', "free.a[0] is NaN"),
        ('{"name": "a", "size": 1, "rows": [], "free": ' + "[" * 60 + "]" * 60 + "}", "levels"),
        ('{"name": ' + json.dumps("x" * 10_000) + ', "size": "y"}', "size is 'y'"),
        ('{"name": 1}' + " " * 9 + "x", "Extra data"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        (b'{"name": "\xff"}', "utf-8"),
        ("\ufeff{}", "BOM"),
        ("", "Expecting value"),
        ("3", "it holds 3, expected an object"),
        ("[]", "it holds a list"),
        ("NaN", "it holds NaN"),
    ],
)  # fmt: skip
def test_anything_else_is_one_line_with_the_file_and_the_field(text, says, tmp_path):
    assert says in refused(tmp_path / "x.json", text)


def test_a_file_that_is_not_there_and_a_folder_are_named(tmp_path):
    with pytest.raises(FedboundsError, match=r"no results file .*nowhere\.json"):
        load(tmp_path / "nowhere.json", "")
    with pytest.raises(FedboundsError, match=r"cannot read .*directory"):
        load(tmp_path, "")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["name", "size", "rows", "word", "by", "x"]), json_values))
def test_whatever_the_data_are_it_is_one_line(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("any") / "x.json"
    line = ""
    try:
        read(path, json.dumps(data))
    except FedboundsError as error:
        line = str(error)
    assert len(line.splitlines()) <= 1


def test_the_collector_is_left_as_it_was(tmp_path):
    import gc

    for text in (json.dumps(GOOD), "{"):
        gc.enable()
        with contextlib.suppress(FedboundsError):
            read(tmp_path / "x.json", text)
        assert gc.isenabled()


def test_an_object_may_hold_more_than_is_read(tmp_path):
    shape = holding({"name": border.text}, {"size": border.count})
    for data in ({"name": "x"}, {"name": "x", "size": 2, "more": float("nan")}):
        fit(tmp_path, data, shape, "mend it")
    for data, says in (
        ({"size": 2}, "name is missing"),
        ({"name": 3}, "name is 3; expected text"),
        ({"name": "x", "size": -1}, "size is -1"),
        ([], "it is a list; expected an object"),
    ):
        with pytest.raises(FedboundsError, match=says):
            fit(tmp_path, data, shape, "mend it")
