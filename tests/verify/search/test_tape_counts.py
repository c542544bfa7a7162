"""The counts beside others, of which a climb tries each."""

from hypothesis import given
from hypothesis import strategies as st

from fedbounds.verify.search.tape import beside

COUNTS = tuple(
    {"n": n, "m": m, "T": rounds}
    for n in (1, 2, 4)
    for m in (1, 2, 4)
    for rounds in (1, 8, "1/eta")
    if m <= n
)


def test_the_next_ones_differ_in_one_count_alone():
    at = COUNTS.index({"n": 4, "m": 2, "T": 8})
    found = {(name, sign): beside(COUNTS, at, name, sign) for name in "nmT" for sign in (-1, 1)}
    told = {key: None if x is None else COUNTS[x] for key, x in found.items()}
    assert told == {
        ("n", -1): {"n": 2, "m": 2, "T": 8},
        ("n", 1): None,
        ("m", -1): {"n": 4, "m": 1, "T": 8},
        ("m", 1): {"n": 4, "m": 4, "T": 8},
        ("T", -1): {"n": 4, "m": 2, "T": 1},
        ("T", 1): None,
    }


@given(st.sampled_from(range(len(COUNTS))), st.sampled_from("nmT"), st.sampled_from((-1, 1)))
def test_none_lies_between(at, name, sign):
    found = beside(COUNTS, at, name, sign)
    own = COUNTS[at]
    alike = [x for x in COUNTS if {**x, name: 0} == {**own, name: 0} and x[name] != own[name]]
    whole = [x[name] for x in alike if not isinstance(x[name], str)]
    further = [] if own[name] == "1/eta" else [x for x in whole if sign * (x - own[name]) > 0]
    if found is None:
        assert not further
    else:
        assert abs(COUNTS[found][name] - own[name]) == min(abs(x - own[name]) for x in further)
