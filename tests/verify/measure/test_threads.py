"""BLAS on one thread while small matrices are many, and as before afterwards."""

import numpy  # noqa: F401, whose BLAS is looked at
from threadpoolctl import threadpool_info, threadpool_limits

from fedbounds.verify.measure.threads import one_thread


def threads():
    return {own["num_threads"] for own in threadpool_info() if own["user_api"] == "blas"}


def test_every_blas_has_one_thread_inside_and_what_it_had_outside():
    with threadpool_limits(2, "blas"):
        before = threads()
        with one_thread():
            assert threads() == {1}
        assert threads() == before != {1}
