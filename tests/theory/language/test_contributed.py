"""Theories of installed packages, through their entry point."""

from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest
from own_files import own_file

from fedbounds.errors import FedboundsError
from fedbounds.own import contribution
from fedbounds.theory.language import catalogue, contributed, registry
from fedbounds.verify.judge.plan import quick_cases
from fedbounds.verify.own import known
from fedbounds.verify.results.summaries import summaries


@pytest.fixture
def packages(monkeypatch):
    """Entry points that are there for one test; and what is known afterwards is forgotten."""
    there = []

    def entry_points(group, name=None):
        assert group == "fedbounds.theories"
        return tuple(p for p in there if name in (None, p.name))

    monkeypatch.setattr(contributed, "entry_points", entry_points)
    stores = (contributed._KNOWN, known._LOADED)
    kept = [store.copy() for store in stores]
    for store in stores:  # other tests' theories
        store.clear()
    contributed.installed.cache_clear()
    yield there
    contributed.installed.cache_clear()
    for store, before in zip(stores, kept, strict=True):
        store.clear()
        store.update(before)


def point(name, function):
    """An entry point that loads a function of this process."""
    return SimpleNamespace(name=name, value=f"package:{name}", load=lambda: function)


@pytest.fixture
def theirs(tmp_path):
    """A function such as a package has: it declares a theory and returns its contribution."""

    def made(key="theirs"):
        space = {"__name__": "package"}
        path = own_file(
            tmp_path, name=f"{key}.py", key=key, body=f'{key}.claim("a", "D_W(t) >= 0")'
        )
        with open(path, encoding="utf-8") as file:
            exec(compile(file.read(), path, "exec"), space)
        return contribution(space[key])

    return made


def test_a_package_contributes_a_theory_that_is_judged_like_a_paper(packages, theirs):
    packages.append(point("theirs", theirs))
    assert contributed.installed() == ("theirs",)
    assert [e.id for e in catalogue.select(("theirs",))] == ["theirs/a"]
    assert catalogue.entry("theirs/a").module
    claim = registry.claim("theirs/a")
    (row,) = summaries([claim], quick_cases("theirs")[:6])
    assert row["standing"] == "tested"


def test_records_of_a_package_are_named_by_the_file_that_declares_it(packages, theirs):
    before = theirs().source
    assert before == theirs().source
    assert before != theirs("other").source


def test_without_a_package_nothing_is_contributed(packages):
    assert contributed.keys() == ()
    assert contributed.contributed("theirs") is None
    with pytest.raises(FedboundsError, match="unknown paper 'theirs'"):
        catalogue.paper("theirs")


def fails():
    raise RuntimeError("no such thing")


BROKEN = {
    "it fails": (lambda: fails, "'package:theirs' of fedbounds.theories fails: RuntimeError"),
    "it is no contribution": (lambda: lambda: 5, "returned int; expected a Contribution"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_package_that_contributes_something_else_is_named(packages, how):
    made, told = BROKEN[how]
    packages.append(point("theirs", made()))
    with pytest.raises(FedboundsError, match=told):
        catalogue.paper("theirs")


def test_a_contribution_of_another_key_is_refused(packages, theirs):
    packages.append(point("yours", theirs))
    with pytest.raises(FedboundsError, match="with the key 'yours'"):
        catalogue.paper("yours")


def test_two_packages_with_one_key_are_refused(packages, theirs):
    packages += [point("theirs", theirs), point("theirs", theirs)]
    with pytest.raises(FedboundsError, match="2 packages contribute 'theirs'"):
        catalogue.paper("theirs")


def test_a_package_does_not_take_the_place_of_a_paper(packages, theirs):
    packages.append(point("fedplt", theirs))
    with pytest.raises(FedboundsError, match="'fedplt', the key of a paper"):
        catalogue.select(())


def test_a_real_entry_point_has_what_is_used_of_one():
    real = EntryPoint("theirs", "package:function", contributed.GROUP)
    assert (real.name, real.value) == ("theirs", "package:function")
    assert callable(real.load)
