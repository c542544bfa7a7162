"""Fixtures and settings of all tests."""

import functools
import gc
import os
import sys
from itertools import zip_longest
from pathlib import Path

import array_api_strict
import browser
import numpy as np
import pytest
import quick_plans
import scipy.linalg  # noqa: F401, which brings a BLAS of its own
import sympy.parsing.sympy_parser as sympy_reader
from hypothesis import settings
from threadpoolctl import threadpool_limits

import fedbounds
from fedbounds.verify.results.processes import collect_seldom

# whatever the environment says: without it every process that a test starts compiles the package
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# threads that wait on small matrices take the cores from other tests: here, and where tests start
# a process
threadpool_limits(1, "blas")
os.environ["OPENBLAS_NUM_THREADS"] = "1"

# the same examples every time; how long one takes says more about the machine than about the code
settings.register_profile("fedbounds", derandomize=True, deadline=None, max_examples=25)
settings.load_profile("fedbounds")


@functools.cache
def why_no_gpu() -> str:
    """Why CuPy cannot run here; empty if it can."""
    try:
        import cupy

        count = cupy.cuda.runtime.getDeviceCount()
    except ImportError:
        return "CuPy is not installed"
    except Exception as error:  # a driver that is missing, too old or broken
        return f"CuPy finds no device: {error}"
    return "" if count else "CuPy finds no device"


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without the garbage collector, which would go through all modules again and again."""
    gc.disable()
    collected = yield
    gc.enable()
    collect_seldom()
    return collected


def pytest_runtest_setup(item):
    """Skip tests marked `gpu` or `browser` where there is none, saying why."""
    for marker, why in (("gpu", why_no_gpu), ("browser", browser.why_none)):
        if item.get_closest_marker(marker) and (reason := why()):
            pytest.skip(reason)


@pytest.fixture(autouse=True, scope="session")
def _no_text_of_ours_is_evaluated():
    """SymPy's reader evaluates text: in every test, none of it may come from the package."""
    package, sympy = Path(fedbounds.__path__[0]), Path(sympy_reader.__file__).parents[1]
    read = sympy_reader.parse_expr

    def guarded(text, *arguments, **options):
        frame = sys._getframe(1)
        while sympy in Path(frame.f_code.co_filename).parents:
            frame = frame.f_back
        if package in Path(frame.f_code.co_filename).parents:
            raise RuntimeError(f"{frame.f_code.co_filename}:{frame.f_lineno} evaluates {text!r}")
        return read(text, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sympy_reader, "parse_expr", guarded)
        yield


@pytest.fixture(autouse=True)
def _forgotten():
    """Theories of one's own are known to a whole process; each test forgets those that it made."""
    kept = [store.copy() for store in _known_theories()]
    yield
    for store, before in zip_longest(_known_theories(), kept, fillvalue={}):
        store.clear()
        store.update(before)


def _known_theories():
    """Where theories are kept, of the modules that are imported; one imports the other."""
    places = {
        "fedbounds.theory.language.contributed": "_KNOWN",
        "fedbounds.verify.own.known": "_LOADED",
    }
    return [getattr(sys.modules[name], own) for name, own in places.items() if name in sys.modules]


@pytest.fixture(scope="session")
def quick_plans_at(tmp_path_factory):
    """Where the records of quick plans are, for all processes of the session."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "quick plans"


@pytest.fixture(scope="session")
def quick_plan(quick_plans_at):
    """Records of the quick plan of a paper."""
    return functools.cache(functools.partial(quick_plans.judged, quick_plans_at))


@pytest.fixture(scope="session")
def quick_proofs(quick_plans_at):
    """Proofs of a paper, with what runs show of their steps."""
    return functools.cache(functools.partial(quick_plans.proved, quick_plans_at))


@pytest.fixture(scope="session")
def quick_displays(quick_plans_at):
    """What the quick plan of a paper shows beside its claims."""
    quick_plans_at.mkdir(exist_ok=True)
    return functools.cache(functools.partial(quick_plans.displays, quick_plans_at))


@pytest.fixture(scope="session")
def findings_in_words(quick_plans_at):
    """Findings of FedPLT's claims in words, by claim, with a script of every violation."""
    return quick_plans.in_words(quick_plans_at)


@pytest.fixture
def one_process(monkeypatch):
    """Commands start no other process, whether or not they have an option for it."""
    monkeypatch.setattr("fedbounds.verify.results.run._SMALL_PLAN", sys.maxsize)


@pytest.fixture(params=[np, array_api_strict], ids=["numpy", "array-api-strict"])
def xp(request):
    """Each array library that runs on any machine; the strict one refuses NumPy's extras."""
    return request.param
