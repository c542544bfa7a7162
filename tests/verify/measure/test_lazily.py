"""A value is made when it is asked for, once."""

import pytest

from fedbounds.verify.measure.lazily import Lazily, Mapped, together


def test_values_are_made_once_and_only_when_asked_for():
    asked = []

    def make(name):
        asked.append(name)
        return None if name == "none" else name.upper()

    found = Lazily(("a", "b", "none"), make)
    assert (found["a"], found["a"], asked) == ("A", "A", ["a"])
    assert "none" not in found
    assert "other" not in found
    assert found.get("none", 0) == 0
    assert asked == ["a", "none"]
    with pytest.raises(KeyError):
        found["none"]
    assert {"a", "none"} - found.keys() == {"none"}
    assert "b" not in asked
    assert dict(found) == {"a": "A", "b": "B"}
    assert len(found) == 2


def test_the_first_that_has_a_name_tells_it():
    def refuse(name):
        raise AssertionError(name)

    both = together({"a": 1}, Lazily(("a", "c"), refuse))
    assert both["a"] == 1
    assert "b" not in both
    with pytest.raises(AssertionError):
        both["c"]


def test_what_is_missing_while_a_value_is_made_is_an_error():
    """Planted: as a KeyError it would say that there is no such value, and it would be left out."""

    def make(name):
        return {}[name]

    for found in (Lazily(("a",), make), Mapped({"a": "b"}, make)):
        for ask in (lambda own: own["a"], lambda own: own.get("a"), dict):
            with pytest.raises(RuntimeError, match="while 'a' was made"):
                ask(found)
    with pytest.raises(KeyError):
        Mapped({"a": "b"}, make)["other"]
