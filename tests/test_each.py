"""A test of many items fails when one of them does, and says which."""

import pytest
from each import each


def odd(number: int) -> None:
    assert number % 2


def test_all_that_fail_are_named() -> None:
    with pytest.raises(AssertionError) as told:
        each("number", range(5))(odd)()
    assert str(told.value).splitlines()[0] == "3 of 5 fail"
    for even in (0, 2, 4):
        assert f"\n{even}: AssertionError" in str(told.value)
    each("number", (1, 3))(odd)()


def test_an_error_and_a_refusal_that_did_not_come_are_failures() -> None:
    def inverse(number: int) -> None:
        with pytest.raises(ZeroDivisionError):
            assert number / number

    with pytest.raises(AssertionError, match=r"1 of 2 fail\n3: Failed: DID NOT RAISE"):
        each("number", (0, 3))(inverse)()

    with pytest.raises(AssertionError, match="zero: TypeError"):
        each("number", [None], told=lambda _: "zero")(odd)()


def test_nothing_to_try_is_a_failure() -> None:
    with pytest.raises(AssertionError, match="nothing to try as number"):
        each("number", lambda: [])(odd)()


@each("left, right", lambda: zip("ab", (1, 2), strict=True))
@each("third", (True, False))
def test_entries_and_fixtures_are_passed(left, right, third, tmp_path) -> None:
    assert (left, right) in {("a", 1), ("b", 2)}
    (tmp_path / f"{left}{third}").touch()
    assert len(list(tmp_path.iterdir())) == 2 * (right - 1) + (1 if third else 2)
