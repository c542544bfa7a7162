"""Theories of one's own are known to a whole process; each test forgets those that it made."""

import pytest

from fedbounds.theory.language import contributed
from fedbounds.verify.own import known


@pytest.fixture(autouse=True)
def forgotten():
    stores = (contributed._KNOWN, known._LOADED)
    kept = [store.copy() for store in stores]
    yield
    for store, before in zip(stores, kept, strict=True):
        store.clear()
        store.update(before)
