"""How far a run is: a bar on a terminal; in a file that somebody watches, a line now and then."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

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
        with _seldom() as told:
            yield told
        return
    with Progress(console=screen, transient=True) as bar:
        task = bar.add_task("judging", total=None)
        yield lambda what, done, total: bar.update(
            task, description=what, completed=done, total=total
        )


@contextmanager
def _seldom() -> Iterator[Told]:
    """Whatever was told last, also where that was long ago."""
    last, over = ["begun"], Event()

    def told(what: str, done: int, total: int) -> None:
        last[0] = f"{done} of {total} set-ups judged; {what}"

    def tell() -> None:
        while not over.wait(_SELDOM):
            click.echo(last[0], err=True)

    thread = Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        over.set()
        thread.join()
