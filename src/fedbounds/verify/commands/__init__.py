"""Commands in files of their own; each is imported when it is typed.

`ELSEWHERE` says where a command is; its module has one click command of that name. The help
lists them all with the line given here, so that it need not import them.
"""

from importlib import import_module
from typing import Any

import click

# name: (module, attribute, line of the help)
_HERE = "fedbounds.verify.commands"
ELSEWHERE: dict[str, tuple[str, str, str]] = {
    "alarms": (f"{_HERE}.alarms.command", "alarms", "Is anything proved ever said to be false?"),
    "audit": (f"{_HERE}.audit.command", "audit", "What to read to trust an encoding."),
    "certificates": (
        f"{_HERE}.certificates",
        "certificates",
        "Proofs with every identity multiplied out, for other checkers.",
    ),
    "examples": (f"{_HERE}.examples", "examples", "Theorems of the literature, as files."),
    "export": (f"{_HERE}.export", "export", "Proofs in the language of Coq, to be checked there."),
    "new": (f"{_HERE}.new", "new", "Write a commented template for a theorem of your own."),
    "bound": (f"{_HERE}.bound.command", "bound", "Value of a bound, without any simulation."),
    "compare": (f"{_HERE}.contest.command", "compare", "Algorithms, or bounds, side by side."),
    "sensitivity": (
        f"{_HERE}.sensitivity.command",
        "sensitivity",
        "How much each constant and assumption matters.",
    ),
    "mutants": (
        f"{_HERE}.mutants.command",
        "mutants",
        "Change statements in every small way; show what catches each.",
    ),
    "selftest": (f"{_HERE}.selftest.command", "selftest", "Plant errors; show what catches each."),
    "diff": (f"{_HERE}.exports", "diff", "What changed between two result folders."),
    "cite": (f"{_HERE}.exports", "cite", "BibTeX of a claim's paper and of this suite."),
    "symbols": (f"{_HERE}.exports", "symbols", "Every symbol with meaning and sign."),
    "worst": (f"{_HERE}.pep.command", "worst", "Worst case over all functions (extra pep)."),
}


class LazyGroup(click.Group):
    """A group that imports a command of `ELSEWHERE` when it is typed."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Commands in alphabetical order."""
        return sorted({*super().list_commands(context), *ELSEWHERE})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of that name, imported now if it is elsewhere."""
        if name not in ELSEWHERE:
            return super().get_command(context, name)
        module, attribute, _ = ELSEWHERE[name]
        found: Any = getattr(import_module(module), attribute)
        return found if isinstance(found, click.Command) else None

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing those that are elsewhere."""
        rows = []
        for name in self.list_commands(context):
            if name in ELSEWHERE:
                rows.append((name, ELSEWHERE[name][2]))
            else:
                command = super().get_command(context, name)
                assert command is not None
                rows.append((name, command.get_short_help_str(80)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)
