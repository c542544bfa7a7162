"""Fixtures and settings of all tests."""

import functools

import array_api_strict
import numpy as np
import pytest
from hypothesis import settings

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


def pytest_runtest_setup(item):
    """Skip tests marked `gpu` where there is none, saying why."""
    if item.get_closest_marker("gpu") and (reason := why_no_gpu()):
        pytest.skip(reason)


@pytest.fixture(params=[np, array_api_strict], ids=["numpy", "array-api-strict"])
def xp(request):
    """Each array library that runs on any machine; the strict one refuses NumPy's extras."""
    return request.param
