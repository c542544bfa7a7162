"""What the terminal shows of planted errors: a row for each, and the counts."""

from collections.abc import Sequence

from rich.text import Text

from ...page.listing import columns, console
from .planted import Outcome, Planted, Said, Trial

_STYLES = {Outcome.CAUGHT: "", Outcome.MISSED: "bold red", Outcome.FALSE_ALARM: "bold red"}


def print_list(planted: Sequence[Planted]) -> None:
    """Every error, where it is planted and what the check must say; nothing is run."""
    table = columns("name", "kind", "error planted", "where", "check", "must say of it", "original")
    for error in planted:
        table.add_row(
            *(
                Text(cell)
                for cell in (
                    error.name,
                    error.kind.value,
                    error.error,
                    error.where,
                    error.check,
                    error.catch,
                    error.control,
                )
            )
        )
    out = console()
    out.print(table)
    out.print(f"\n{len(planted)} planted errors")


def print_trials(trials: Sequence[Trial]) -> None:
    """Error planted, where, the check that should catch it, and whether and how it did."""
    out = console()
    table = columns("name", "error planted", "where", "check that should catch it", "caught?")
    for trial in trials:
        p = trial.planted
        caught = Text(answer(trial), style=_STYLES[trial.outcome])
        table.add_row(Text(p.name), Text(p.error), Text(p.where), Text(p.check), caught)
    out.print(table)
    out.print(f"\n{counts(trials)}")


def answer(trial: Trial) -> str:
    """Yes and how; or what the check said, and what it must say."""
    planted = trial.planted
    match trial.outcome:
        case Outcome.CAUGHT:
            return f"yes: {_quoted(trial.error)}"
        case Outcome.MISSED:
            return f"NO: it says {_quoted(trial.error)}; expected {planted.catch}"
        case Outcome.FALSE_ALARM:
            said = _quoted(trial.original)
            return f"FALSE ALARM: of the original it says {said}; expected {planted.control}"


def _quoted(said: Said) -> str:
    return f"{said.word} ({said.how})"


def counts(trials: Sequence[Trial]) -> str:
    """How many errors were caught, and how many originals were flagged."""
    number = {outcome: sum(t.outcome is outcome for t in trials) for outcome in Outcome}
    return (
        f"{len(trials)} errors planted, {number[Outcome.CAUGHT]} caught, "
        f"{number[Outcome.MISSED]} missed; {number[Outcome.FALSE_ALARM]} originals flagged"
    )
