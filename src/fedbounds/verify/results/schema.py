"""The published schema of results: ``python -m fedbounds.verify.results.schema`` prints it.

It is made of the shapes by which files are read, and kept beside this file for who reads them
without us.
"""

import json
from typing import Any

from .records import SCHEMA
from .shapes import CALLED, DOCUMENT


def schema() -> dict[str, Any]:
    """A JSON Schema of ``results.json``, of a record, and of a block of a file of records."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Results of fedbounds, schema {SCHEMA}",
        "description": (
            "results.json of a result folder gives the keys of its records, which are in "
            "records/PAPER.jsonl.gz: a block (#/$defs/block) on each line, whose records have the "
            "fields of a record (#/$defs/record) but those of its setup. A document that stands "
            "alone, as --json writes it, holds its records."
        ),
        **DOCUMENT.schema,
        "$defs": {name: shape.schema for name, shape in CALLED.items()},
    }


def published() -> str:
    """The schema as text."""
    return json.dumps(schema(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(published(), end="")
