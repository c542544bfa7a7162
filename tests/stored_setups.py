"""Set-ups written to JSON text and read again."""

import json

from fedbounds.verify.decide.case import Case
from fedbounds.verify.setups.instance_file import from_data, to_data
from fedbounds.verify.setups.setup_data import encoded
from fedbounds.vocabulary import Method


def read_again(setup, algorithm):
    """The set-up that a file gives back; ``algorithm`` is the name that claims use."""
    data = json.loads(json.dumps(to_data(Case("stored", algorithm, setup, Method.RATIONAL))))
    return from_data(data).setup


def alike(one, other):
    """Whether two set-ups have the same numbers; a whole number may be an int or a rational."""
    return _spelled(encoded(one)) == _spelled(encoded(other))


def _spelled(data):
    if type(data) is int:
        return {"rational": str(data)}
    if isinstance(data, dict):
        return {key: _spelled(value) for key, value in data.items()}
    return [_spelled(item) for item in data] if isinstance(data, list) else data
