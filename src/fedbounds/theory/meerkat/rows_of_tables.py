"""The lines of the paper's tables as choices of numbers: averages, and tasks that are won."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from fedbounds.theory.language.choices import Choice, PlannedChoice
from fedbounds.theory.language.setups import Number

from .tables import DENSITIES, METHODS

_HALF = "5e-1"


def _accuracies(line: str) -> list[Fraction]:
    return [Fraction(one) for one in line.split()]


def _average(line: str) -> str:
    own = _accuracies(line)
    return str(sum(own, Fraction(0)) / len(own))


def _row(name: str, values: dict[str, Number]) -> PlannedChoice:
    return PlannedChoice(name, Choice("meerkat", tuple(values.items())), quick=True)


def _of_methods() -> Iterator[PlannedChoice]:
    for table, model, data, steps, methods in METHODS:
        own = _accuracies(methods["meerkat"])
        values: dict[str, Number] = {"K": steps, "tasks": len(own)}
        for method, line in methods.items():
            values[f"acc_{method}"] = _average(line)
            if method in ("full", "magnitude", "LoRA"):
                won = (x > y for x, y in zip(own, _accuracies(line), strict=True))
                values[f"wins_{method}"] = sum(won)
        yield _row(f"Table {table}, {model}, {data}, T={steps}", values)


def _of_densities() -> Iterator[PlannedChoice]:
    half = {model: lines for model, density, *lines in DENSITIES if density == _HALF}
    for model, density, *lines in DENSITIES:
        for data, line, before in zip(("IID", "Non-IID"), lines, half[model], strict=True):
            values: dict[str, Number] = {
                "u_ratio": str(Fraction(density)),
                "acc_meerkat": _average(line),
                "acc_half": _average(before),
            }
            yield _row(f"Table 7, {model}, {data}, density {density}", values)


def _mean(lines: Iterable[str]) -> str:
    every = [Fraction(_average(line)) for line in lines]
    return str(sum(every, Fraction(0)) / len(every))


def _over_all() -> Iterator[PlannedChoice]:
    for method in ("magnitude", "task"):
        own = [methods for *_, methods in METHODS if method in methods]
        names = {"mean_meerkat": "meerkat", f"mean_{method}": method}
        means = {name: _mean(x[one] for x in own) for name, one in names.items()}
        yield _row(f"{len(own)} rows of Meerkat and {method}", {**means})
    at: dict[str, list[str]] = {density: [] for _, density, *_ in DENSITIES}
    for _, density, *lines in DENSITIES:
        at[density] += lines
    for density, every in at.items():
        values = {"mean_meerkat": _mean(every), "mean_half": _mean(at[_HALF])}
        density_of = {"u_ratio": str(Fraction(density))}
        yield _row(f"Table 7, all models, density {density}", {**density_of, **values})


PLANNED = (*_of_methods(), *_of_densities(), *_over_all())
