"""`import fedbounds as fb`: what is in it, and that nothing is loaded before it is asked for."""

import subprocess
import sys
from importlib import import_module

import pytest

import fedbounds as fb


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
