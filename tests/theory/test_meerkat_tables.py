"""The paper's tables as data: whole, and with the averages that it prints."""

from fractions import Fraction

from fedbounds.theory.meerkat.rows_of_tables import PLANNED
from fedbounds.theory.meerkat.tables import DENSITIES, METHODS

# averages as printed, of a line of each table; one of Table 5 is not that of its tasks
PRINTED = {
    ("1", "Gemma2-2b", 10): {"full": "0.732", "magnitude": "0.779", "LoRA": "0.765", "meerkat": "0.772"},
    ("5", "LLaMA-3.2-1B", 10): {"full": "0.701", "meerkat": "0.784"},
    ("6", "Gemma2-2b", 50): {"vp": "0.762", "meerkat": "0.772"},
    ("8", "Qwen2-1.5b", 1): {"full": "0.761", "LoRA": "0.767", "meerkat": "0.809"},
    ("9", "LLaMA-3.2-1B", 1): {"full": "0.705", "LoRA": "0.739", "meerkat": "0.769"},
    ("10", "Gemma2-2b", 1): {"full": "0.708", "LoRA": "0.716", "meerkat": "0.792"},
}  # fmt: skip


def average(line):
    every = [Fraction(one) for one in line.split()]
    return sum(every) / len(every)


def test_every_row_has_seven_accuracies():
    lines = [line for *_, methods in METHODS for line in methods.values()]
    lines += [line for _, _, *both in DENSITIES for line in both]
    for line in lines:
        own = [Fraction(one) for one in line.split()]
        assert len(own) == 7
        assert all(0 < one < 1 for one in own)


def test_tables_have_their_rows():
    counts = {}
    for table, *_ in METHODS:
        counts[table] = counts.get(table, 0) + 1
    # three models; four T, or two kinds of data, or one
    assert counts == {"1": 12, "5": 12, "6": 12, "8": 6, "9": 3, "10": 3, "12": 3, "13": 3}
    assert len(DENSITIES) == 15
    assert len({one.name for one in PLANNED}) == len(PLANNED) == 54 + 30 + 2 + 5


def test_averages_are_the_printed_ones_cut_after_three_digits():
    for (table, model, steps), printed in PRINTED.items():
        methods = next(x for t, m, _, k, x in METHODS if (t, m, k) == (table, model, steps))
        for name, told in printed.items():
            assert 0 <= average(methods[name]) - Fraction(told) < Fraction(1, 1000) or (
                abs(average(methods[name]) - Fraction(told)) <= Fraction(1, 2000)
            )


def test_a_row_says_which_tasks_are_won():
    row = next(x for x in PLANNED if x.name == "Table 1, Gemma2-2b, Dirichlet(0.5), T=10")
    values = dict(row.choice.values)
    assert values["wins_magnitude"] == 5  # not RTE, and WSC is a draw
