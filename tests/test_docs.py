"""Links of the prose lead somewhere, the site's pages are all there, and its commands exist.

`make docs` builds the site and checks every link of the built pages, those made from docstrings
included; this is the fast part, without the tools that build it.
"""

import ast
import importlib.util
import inspect
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from shutil import copyfile
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

import click
import pytest
from markdown_it import MarkdownIt

import fedbounds
from fedbounds.verify.commands import command_line
from fedbounds.verify.commands.command_line import STATUSES, cli
from fedbounds.verify.results.records import SCHEMA

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
TOP = {  # prose at the top of the repository, and the page that it becomes
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "code_of_conduct.md",
    "CHANGELOG.md": "changelog.md",
}
PROSE = [
    *(ROOT / name for name in TOP),
    *sorted(DOCS.rglob("*.md")),
    *sorted(ROOT.glob("notebooks/*.ipynb")),
]
NAV = re.findall(r"[\w/]+\.(?:md|ipynb)", (ROOT / "mkdocs.yml").read_text().split("\nnav:")[1])
GENERATED = {*TOP.values(), "commands.md"}
NOTEBOOKS = {f"notebooks/{path.name}" for path in ROOT.glob("notebooks/*.ipynb")}
REFERENCES = sorted(DOCS.glob("reference/*.md"))
PUBLIC = {
    "fedbounds.own",
    "fedbounds.laws",
    "fedbounds.strategies",
    "fedbounds.vocabulary",
    "fedbounds.problems",
    "fedbounds.theory.language.claims",
    "fedbounds.theory.language.typed",
    "fedbounds.theory.proof.language",
    "fedbounds.theory.checker",
    "fedbounds.verify.decide.case",
    "fedbounds.verify.judge.judge",
    "fedbounds.verify.results.summaries",
}


def prose(path: Path) -> str:
    """Markdown of a page, or of a notebook's text cells."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


def targets(text: str) -> Iterator[str]:
    """Where the links and images of a page lead; what stands in code is no link."""
    for block in MarkdownIt().parse(text):
        for token in block.children or ():
            target = token.attrGet("href" if token.type == "link_open" else "src")
            if target is not None:
                yield str(target)


def anchors(text: str) -> set[str]:
    """The anchors that its headings get."""
    tokens = MarkdownIt().parse(text)
    pairs = pairwise(tokens)
    headings = [after.content for token, after in pairs if token.type == "heading_open"]
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", h).strip().lower()) for h in headings}


def broken(text: str, path: Path) -> list[str]:
    """The links of a page that lead nowhere; of those to other sites, only the form is checked."""
    return [target for target in targets(text) if not _leads_somewhere(target, text, path)]


def _leads_somewhere(target: str, text: str, path: Path) -> bool:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return (
            parts.scheme == "https" and re.fullmatch(r"[\w-]+(\.[\w-]+)+", parts.netloc) is not None
        )
    if not parts.path:
        return parts.fragment in anchors(text)
    file = path.parent / unquote(parts.path)
    if DOCS in path.parents and parts.path in {*GENERATED, *NOTEBOOKS}:
        return True  # and its anchors, if the site builds
    if not file.exists():
        return False
    return not parts.fragment or parts.fragment in anchors(prose(file))


@pytest.mark.parametrize("path", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    assert not broken(prose(path), path)


@pytest.mark.parametrize(
    "link",
    [
        "nowhere.md",
        "README.md#nowhere",
        "#nowhere",
        "http://x.org",
        "https://nowhere",
        "htps://x.org/a",
    ],
)
def test_a_broken_link_is_seen(link: str) -> None:
    page = f"# Here\n\n[a](README.md) [b](#here) [c](https://example.org/x) [d]({link}) `[e](gone)`"
    assert broken(page, ROOT / "page.md") == [link]


def test_the_site_has_every_page_and_notebook_once() -> None:
    files = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    assert sorted(NAV) == sorted(files | NOTEBOOKS | GENERATED), "mend `nav` in mkdocs.yml"


def identifiers(text: str) -> set[str]:
    """What a page documents from docstrings, and what it refers to."""
    return set(
        re.findall(r"^::: (\S+)$", text, re.M) + re.findall(r"\]\[(fedbounds[\w.]*)\]", text)
    )


def found(name: str) -> Any:
    """A module, or a name in one; None if there is no such thing."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        outer, _, inner = name.rpartition(".")
        return getattr(found(outer), inner, None) if outer else None


def test_what_is_documented_exists() -> None:
    pages = {name for path in DOCS.rglob("*.md") for name in identifiers(prose(path))}
    assert {name for name in pages if found(name) is None} == set()
    assert found("fedbounds.own.Theory.claim") is not None
    assert found("fedbounds.own.Theory.nothing") is None
    assert found("fedbounds.nothing") is None
    assert identifiers("::: a.b\n\n[c][fedbounds.own.c]") == {"a.b", "fedbounds.own.c"}


def modules_with_a_public_list() -> Iterator[str]:
    """Modules with ``__all__``."""
    source = ROOT / "src"
    for path in source.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "__all__" in text and any(
            isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
            for node in ast.parse(text).body
        ):
            parts = path.relative_to(source).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_every_public_module_has_a_reference_page() -> None:
    documented = {name for path in REFERENCES for name in identifiers(prose(path))}
    assert set(modules_with_a_public_list()) | PUBLIC <= documented


@pytest.mark.parametrize("module", sorted(modules_with_a_public_list()))
def test_every_public_name_has_a_docstring(module: str) -> None:
    """Without one the reference page would leave it out."""
    public = import_module(module)
    things = {name: getattr(public, name) for name in public.__all__}
    assert not [name for name, thing in things.items() if callable(thing) and not thing.__doc__]


def hidden_by_a_module(module: str) -> set[str]:
    """Public names that a submodule of the same name hides from the package's own page."""
    package = import_module(module)
    if not hasattr(package, "__path__"):
        return set()
    named = (name for name in package.__all__ if importlib.util.find_spec(f"{module}.{name}"))
    hidden = (name for name in named if not inspect.ismodule(getattr(package, name)))
    return {f"{getattr(package, name).__module__}.{name}" for name in hidden}


def test_a_name_that_a_module_hides_is_documented_by_itself() -> None:
    documented = {name for path in REFERENCES for name in identifiers(prose(path))}
    hidden = {
        name for module in modules_with_a_public_list() for name in hidden_by_a_module(module)
    }
    assert "fedbounds.strategies.problems.problems" in hidden
    assert hidden <= documented


def command_lines(text: str) -> list[list[str]]:
    """The commands of a page's text blocks, without comments."""
    blocks = re.findall(r"^```text\n(.*?)^```", text, re.S | re.M)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    typed = (line.partition(" > ")[0] for line in lines if line.startswith("fedbounds "))
    return [shlex.split(line, comments=True) for line in typed]


def parsed(words: list[str]) -> None:
    """Read a command line as the command does, and run nothing."""
    name, *arguments = words[1:]
    command = cli.get_command(click.Context(cli), name)
    if command is None:
        raise click.UsageError(f"no command {name}")
    command.make_context(name, arguments)


COMMANDS = [words for path in DOCS.glob("*.md") for words in command_lines(prose(path))]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_of_the_pages_can_be_typed(words: list[str]) -> None:
    parsed(words)


@pytest.mark.parametrize("line", ["nothing", "cite --nothing", "diff old", "diff > old new"])
def test_a_wrong_command_is_seen(line: str) -> None:
    (words,) = command_lines(f"```text\nfedbounds {line}  # why\n```\n")
    with pytest.raises(click.UsageError):
        parsed(words)


def build_tool(name: str) -> ModuleType:
    """A module of the docs folder, which MkDocs loads by its path."""
    for package in ("mkdocs", "griffe", "bs4"):
        pytest.importorskip(package, reason="needs the extra docs")
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    sys.modules[name] = tool
    spec.loader.exec_module(tool)
    return tool


def test_links_of_the_readme_become_links_of_the_site() -> None:
    text = "[a](CONTRIBUTING.md#x) [b](docs/trusted_base.md) [c](https://x.org) [d](#y) `f(x)`"
    assert build_tool("hooks").linked(text) == (
        "[a](contributing.md#x) [b](trusted_base.md) [c](https://x.org) [d](#y) `f(x)`"
    )


def test_every_page_at_the_top_is_made_by_the_hooks() -> None:
    assert build_tool("hooks").PAGES == TOP


def test_formulas_of_notebooks_are_shown_and_code_is_left() -> None:
    tool = build_tool("hooks")
    page = '<div data-mime-type="text/{}">$x &lt; y$ <code>$z$</code></div><p>$u$</p>'
    shown = tool.formulas_shown(page.format("markdown"))
    assert shown.count("<math") == 1
    assert "<mi>x</mi>" in shown
    assert "$z$" in shown
    assert "$u$" in shown
    with pytest.raises(Exception, match="not known: .*nocommand"):
        tool.formulas_shown(page.format("latex").replace("$x", r"$\nocommand x"))


def test_docstrings_are_plain_text_but_for_code_and_examples() -> None:
    escaped = build_tool("docstrings").escaped
    assert escaped("x*, E <u, v> [a] `b*`") == "x\\*, E &lt;u, v> \\[a\\] `b*`"
    kept = "Parameters\n----------\n**values : int\n\nExamples\n--------\n>>> a * [b]\n[1]"
    assert escaped(kept) == kept


def test_the_commands_page_has_every_command() -> None:
    page = build_tool("hooks").commands()
    headings = re.findall(r"^## (.+)$", page, re.M)
    assert headings == cli.list_commands(click.Context(cli))
    assert page.count("Usage: fedbounds ") == len(headings)


def test_stable_names_are_all_those_of_the_code() -> None:
    tool = build_tool("stable_names")
    page = tool.on_page_markdown(prose(DOCS / "stable.md"), None, None, None)
    assert tool.HERE not in page
    sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page, re.S | re.M))
    rows = {
        x: re.findall(r"^\| `([\w. -]+).*?` \| (\S.*) \|$", own, re.M)
        for x, own in sections.items()
    }
    for module in ("fedbounds", "fedbounds.own", "fedbounds.laws", "fedbounds.strategies"):
        assert [name for name, _ in rows.pop(module)] == list(import_module(module).__all__)
    listed = [name.removeprefix("fedbounds ") for name, _ in rows.pop("Commands")]
    assert listed == cli.list_commands(click.Context(cli))
    assert [int(status) for status, _ in rows.pop("Exit statuses")] == sorted(STATUSES)
    assert not rows
    assert f"version {fedbounds.__version__}" in page
    assert f"schema {SCHEMA}" in page
    assert "What is not listed may change" in page


def test_a_signature_is_told_without_types_and_long_defaults() -> None:
    def called(x: int, *, word: str = "a", many: tuple[int, ...] = tuple(range(40))) -> str:
        """First, |x| <= 1.

        Then.
        """

    tool = build_tool("stable_names")
    assert tool.called("called", called) == "called(x, *, word='a', many=...)"
    assert tool.plain(tool.first_line(called)) == r"First, \|x\| \<= 1."
    assert tool.plain("`x*` *") == r"`x*` \*"


def test_no_command_leaves_with_a_status_that_is_not_told() -> None:
    source = inspect.getsource(command_line.main) + inspect.getsource(command_line.status)
    left = {int(x) for x in re.findall(r"return (\d+)", source)}
    assert left | {0} == set(STATUSES)


def test_the_template_is_shown_where_a_page_asks_for_it() -> None:
    tool = build_tool("hooks")
    page = prose(DOCS / "own_theorem.md")
    shown = tool.on_page_markdown(page, None, None, None)
    assert f"<!-- {tool.TEMPLATE} -->" in page
    assert f"<!-- {tool.TEMPLATE} -->" not in shown
    assert "fedbounds verify my_theorem.py --laws" in tool.template()
    assert tool.template() in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("planted", "told"),
    [
        ("[a](other.md#there)", ""),
        ("[a](nowhere.md)", "nowhere.md"),
        ("[a](other.md#nowhere)", "#nowhere"),
        ("[a][fedbounds.nothing]", "fedbounds.nothing"),
        ('<a href="../gone/">a</a>', "../gone/"),
        ("::: fedbounds.nothing", "fedbounds.nothing"),
    ],
)
def test_the_build_stops_at_a_broken_link(planted: str, told: str, tmp_path: Path) -> None:
    """A site of two pages, built as the real one is."""
    pytest.importorskip("mkdocs", reason="needs the extra docs")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# Here\n\n{planted}\n")
    (tmp_path / "docs" / "other.md").write_text("# Other\n\n## There\n")
    copyfile(DOCS / "docstrings.py", tmp_path / "docs" / "docstrings.py")
    config = f"INHERIT: {ROOT / 'mkdocs.yml'}\nhooks: []\nnav: [index.md, other.md]\n"
    (tmp_path / "mkdocs.yml").write_text(config)
    build = [sys.executable, "-m", "mkdocs", "build", "-f", str(tmp_path / "mkdocs.yml")]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode != 0) == bool(told), done.stderr
    assert told in done.stderr
