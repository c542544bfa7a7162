"""The page of stable names, made at build time from the code. MkDocs calls `on_page_markdown`."""

import inspect
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

HERE = "<!-- stable names -->"  # where a page has this comment
MODULES = ("fedbounds", "fedbounds.own", "fedbounds.laws", "fedbounds.strategies")
MARKUP = {ord(sign): f"\\{sign}" for sign in "*[]<|"}
LONGEST = 30  # characters of a default that is shown

Row = tuple[str, str]


def on_page_markdown(text: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the names where a page asks for them."""
    return text.replace(HERE, stable_names()) if HERE in text else text


def stable_names() -> str:
    """Names of the public modules, commands, exit statuses, and the schema of results."""
    import fedbounds
    from fedbounds.verify.commands.command_line import STATUSES
    from fedbounds.verify.results.records import SCHEMA

    parts = [
        f"This is version {fedbounds.__version__}. Results have schema {SCHEMA}, the field "
        "`schema` of `results.json`. Those of another schema are refused by a line that says so, "
        "but by `fedbounds diff --content`, which reads older ones too.\n"
    ]
    parts += [table(name, "name", public(import_module(name))) for name in MODULES]
    parts.append(table("Commands", "command", commands()))
    statuses = [(str(status), meaning) for status, meaning in STATUSES.items()]
    parts.append(table("Exit statuses", "status", statuses))
    return "\n".join(parts)


def public(module: Any) -> Iterator[Row]:
    """Each name of ``__all__`` as it is called, and the first line that is said of it."""
    for name in module.__all__:
        thing = getattr(module, name)
        yield called(name, thing), thing if isinstance(thing, str) else first_line(thing)


def commands() -> Iterator[Row]:
    """Each command, and the first line of its help."""
    from fedbounds.verify.commands.command_line import cli

    group = click.Context(cli, info_name="fedbounds")
    for name in cli.list_commands(group):
        command = cli.get_command(group, name)
        assert command is not None
        yield f"fedbounds {name}", first_line(command.callback)


def called(name: str, thing: Any) -> str:
    """A name with its parameters, without their types; a long default is three dots."""
    if not callable(thing):
        return name
    own = inspect.signature(thing)
    bare = [_bare(parameter) for parameter in own.parameters.values()]
    return name + str(own.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def _bare(parameter: inspect.Parameter) -> inspect.Parameter:
    default = parameter.default
    if default is not inspect.Parameter.empty:
        default = _Shown(default)
    return parameter.replace(annotation=inspect.Parameter.empty, default=default)


class _Shown:
    """A default as it is written: short data as they are, else three dots."""

    def __init__(self, default: Any) -> None:
        told = repr(str(default) if isinstance(default, str) else default)
        self._told = "..." if len(told) > LONGEST or "<" in told else told

    def __repr__(self) -> str:
        return self._told


def first_line(thing: Any) -> str:
    """Of a docstring."""
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def table(title: str, first: str, rows: Iterable[Row]) -> str:
    """A section with a table of two columns, the first of them code."""
    lines = [f"| `{name}` | {plain(text)} |" for name, text in rows]
    return "\n".join([f"## {title}\n", f"| {first} | what it is |", "|---|---|", *lines, ""])


def plain(text: str) -> str:
    """What Markdown would read as markup, escaped, but for code in backticks."""
    pieces = re.split(r"(`+.+?`+)", text)
    pieces[::2] = (piece.translate(MARKUP) for piece in pieces[::2])
    return "".join(pieces)
