"""The results document: what ``--json`` writes and what every table and page is made from."""

import platform
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

import fedbounds

from .accepted import answers_of, kept_answers, with_answers
from .engine import source_hash
from .files import RESULTS, write_text
from .records import SCHEMA, sealed
from .results_file import beside, timed_as_before
from .run import Results, Settings
from .store import Store


@dataclass(frozen=True)
class Timing:
    """Seconds a run took; kept apart, so that two runs compare without it."""

    seconds: float


def document(
    results: Results, settings: Settings, timing: Timing, store: Store | None = None
) -> dict[str, Any]:
    """Schema, run, claims, results and proofs; with a store, what is known there is looked up."""
    return {
        "schema": SCHEMA,
        "run": {
            "fedbounds": fedbounds.__version__,
            "source": source_hash(),
            "numpy": np.__version__,
            "profile": settings.profile.value,
            "seed": settings.seed,
            "device": settings.device.value,
            **({"left_out": results.left_out} if results.left_out else {}),
            **({"irrational": results.irrational} if results.irrational else {}),
            "timing": {
                "seconds": timing.seconds,
                "python": sys.version.split()[0],
                "system": platform.system(),
                "machine": platform.machine(),
            },
        },
        "claims": {summary["id"]: summary for summary in results.claims},
        "results": results.records,
        "proofs": with_answers(
            results.proofs, answers_of if store is None else kept_answers(store)
        ),
    }


def write_document(
    results: Results, settings: Settings, store: Store, timing: Timing
) -> dict[str, Any]:
    """Write the document of a run beside its records, and return it."""
    target = store.file(RESULTS)
    with store.writing():
        data = timed_as_before(document(results, settings, timing, store), target)
        write_text(target, sealed(beside(data)))
        store.forget()
    return data
