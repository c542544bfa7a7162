"""How far a run is: a bar on a terminal; in a file that somebody watches, a line now and then."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.progress import Progress

from ..page.listing import console

Told = Callable[[str, int, int], None]  # what is done, how many set-ups are, and of how many
_SELDOM = 30  # seconds from one line to the next


@contextmanager
def progress() -> Iterator[Told]:
    """What a run tells how far it is."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield _seldom()
        return
    with Progress(console=screen, transient=True) as bar:
        task = bar.add_task("judging", total=None)
        yield lambda what, done, total: bar.update(
            task, description=what, completed=done, total=total
        )


def _seldom() -> Told:
    last = time.perf_counter()

    def told(what: str, done: int, total: int) -> None:
        nonlocal last
        if time.perf_counter() - last >= _SELDOM:
            last = time.perf_counter()
            click.echo(f"{done} of {total} set-ups judged; {what}", err=True)

    return told
