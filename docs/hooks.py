"""Pages made at build time, so that each text has one place. MkDocs calls these functions.

The README, CONTRIBUTING and what else stands at the top become pages, with their links to files of
the repository turned into links to pages. The notebooks come from their folder, with formulas as
MathML. The commands' page is what `fedbounds COMMAND --help` prints, and the template is what
`fedbounds new` writes.
"""

import html
import re
import tempfile
from pathlib import Path

import click
from bs4 import BeautifulSoup
from click.testing import CliRunner
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "code_of_conduct.md",
    "CHANGELOG.md": "changelog.md",
}
AS_THEY_ARE = ("LICENSE", "CITATION.cff")
TEMPLATE = "my_theorem.py"  # where a page has a comment of this name
WIDTH = 88  # characters of a line of help
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.S)
WITH_FORMULAS = ", ".join(
    f'[data-mime-type="text/{kind}"]' for kind in ("markdown", "latex", "html")
)


@event_priority(100)  # before the plugin that looks for notebooks
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not files of this folder."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=linked(text_of(source))))
    files.append(File.generated(config, "commands.md", content=commands()))
    notebooks = [f"notebooks/{path.name}" for path in sorted(ROOT.glob("notebooks/*.ipynb"))]
    for name in (*AS_THEY_ARE, *notebooks):
        files.append(File(name, str(ROOT), config.site_dir, config.use_directory_urls))
    return files


def on_page_markdown(text: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the template where a page asks for it."""
    return text.replace(f"<!-- {TEMPLATE} -->", f"``` {{ .python }}\n{template()}\n```")


def on_page_content(content: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn the formulas of a notebook into MathML, which browsers show without a script."""
    if not page.file.src_uri.endswith(".ipynb"):
        return content
    for title in page.toc.items:
        for heading in (title, *title.children):
            heading.title = heading.title.replace("$", "")  # the table of contents is plain text
    return formulas_shown(content)


def text_of(name: str) -> str:
    """A file at the top of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def linked(text: str) -> str:
    """Markdown of a file at the top of the repository, its links as from the site's home."""

    def target(found: re.Match[str]) -> str:
        return "](" + PAGES.get(found[1], found[1].removeprefix("docs/"))

    return re.sub(r"\]\(([^)#:]+)(?=[)#])", target, text)


def commands() -> str:
    """A page with the help of every command."""
    from fedbounds.verify.commands.command_line import cli

    group = click.Context(cli, info_name="fedbounds", terminal_width=WIDTH)
    sections = ["# Commands\n\nWhat `fedbounds COMMAND --help` prints.\n"]
    for name in cli.list_commands(group):
        command = cli.get_command(group, name)
        assert command is not None
        context = click.Context(command, group, info_name=name, terminal_width=WIDTH)
        sections.append(f"## {name}\n\n```text\n{command.get_help(context)}\n```\n")
    return "\n".join(sections)


def template() -> str:
    """What `fedbounds new` writes."""
    from fedbounds.verify.commands.new import new

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, TEMPLATE)
        CliRunner().invoke(new, [str(file)], catch_exceptions=False)
        return file.read_text(encoding="utf-8")


def formulas_shown(page: str) -> str:
    """The HTML of a notebook, its formulas in dollars replaced by MathML."""
    soup = BeautifulSoup(page, "html.parser")
    for part in soup.select(WITH_FORMULAS):
        for text in part.find_all(string=FORMULA):
            if not text.find_parent(["code", "pre"]):
                shown = FORMULA.sub(_mathml, html.escape(text, quote=False))
                text.replace_with(BeautifulSoup(shown, "html.parser"))
    return str(soup)


def _mathml(found: re.Match[str]) -> str:
    from fedbounds.verify.page.mathml import to_mathml

    display = "block" if found[1] else "inline"
    shown = to_mathml(html.unescape(found[1] or found[2]))
    if "\\" in shown:  # a command that it does not know is shown by its name
        raise PluginError(f"formula with a command that is not known: {found[0]}")
    return f'<math display="{display}">{shown}</math>'
