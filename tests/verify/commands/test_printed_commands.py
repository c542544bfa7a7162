"""Every command that the tool prints can be pasted: it parses, and what it names is there."""

import ast
import html
import os
import re
import shlex
from pathlib import Path

import click
import pytest
from own_files import own_file
from pages import Page

import fedbounds
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import keys, paper
from fedbounds.verify.commands import hunt
from fedbounds.verify.commands.command_line import cli, status
from fedbounds.verify.own.names import entries_named, entry_named, spelled

SOURCE = Path(fedbounds.__file__).parent
COMMAND = re.compile(r"fedbounds ((?:%s)\b[^`\n\"]*)")
FALSE = 'me.claim("no", "D_W(t+1) <= D_W(t)/100")\nme.claim("yes", "D_W(t) >= 0")'
CITES = 'me.claim("early", "D_W(t) >= 0")\nme.claim("rate", "2*D_W(t) >= 0", uses=["early"])'


def found(text):
    """Commands in a text, word by word; what ends in a colon or two spaces is explained after."""
    names = "|".join(cli.list_commands(click.Context(cli)))
    pattern = COMMAND.pattern % names
    whole = re.sub(r"\\\n\s*", "", text)  # a line may go on
    return [shlex.split(re.split(r"\s{2,}|: |;", one)[0]) for one in re.findall(pattern, whole)]


def parsed(words):
    """The parameters of a command; an error if it cannot be parsed."""
    command = cli.get_command(click.Context(cli), words[0])
    return command.make_context(words[0], list(words[1:])).params


def refused(words):
    """Why a command would be refused as it is parsed; empty if it is not."""
    try:
        parsed(words)
    except (click.ClickException, FedboundsError) as error:
        return str(error)
    return ""


def sources():
    """String constants of the package, and its templates."""
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = (p.value if isinstance(p, ast.Constant) else "X" for p in node.values)
                yield file.name, "".join(map(str, parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield file.name, node.value
    for file in (SOURCE / "verify").rglob("templates/*"):
        yield file.name, re.sub(r"{{.*?}}", "X", file.read_text(encoding="utf-8"))


def test_every_command_in_the_source_parses(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # options that name a file to be written are checked
    every = [(name, words) for name, text in sources() for words in found(text)]
    seen = [(name, words) for name, words in every if words[1:]]  # else the command is mentioned
    assert len(seen) > 20
    for name, words in seen:
        assert not refused(words), (name, words, refused(words))


def test_what_is_typed_for_a_claim_names_it(tmp_path):
    file = own_file(tmp_path, name="my claims.py", body=FALSE)
    entries = [entry for key in keys() for entry in paper(key).entries] + [*entries_named((file,))]
    for entry in entries:
        (typed,) = shlex.split(spelled(entry))
        assert entry_named(typed) == entry


@pytest.mark.parametrize("name", ["no", "yes"])
def test_what_show_prints_for_a_claim_of_a_file_runs(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in it").mkdir()
    file = os.path.relpath(own_file(tmp_path / "in it", body=FALSE))
    for options in ((), ("--witness",)):
        status(["show", f"{file}::{name}", *options])
        said = capsys.readouterr()
        (words,) = found(said.out + said.err)
        assert words[0] == "verify"
        # by the file: a process of its own has not read it
        assert parsed(words)["names"] == (f"{file}::{name}",)


def test_what_the_page_of_a_file_prints_runs_from_its_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    own_file(tmp_path, body=FALSE)
    assert status(["verify", "mine.py", "--quick", "--workers", "1"]) == 0
    texts = [path.read_text(encoding="utf-8") for path in Path("results").rglob("*.html")]
    code = [element["text"] for text in texts for element in Page(text).all("code")]
    commands = [words for one in code for words in found(html.unescape(one))]
    mentioned = [words for words in commands if "CLAIM" not in words]
    assert {words[0] for words in mentioned} == {"verify", "search"}
    for words in mentioned:
        given = parsed(words)
        if words[0] == "search":
            hunt.replay(entry_named(given["claim_id"]), Path(given["replay"]))
            assert "violated" in capsys.readouterr().out
        else:
            assert entries_named(given["names"])


def test_a_claim_without_a_proof_that_is_cited_is_told_so(tmp_path, capsys):
    assert status(["show", f"{own_file(tmp_path, body=CITES)}::rate"]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "unknown" not in line
    for word in ("'rate' cites 'early', which has no proof", "`uses`", "me.given"):
        assert word in line


def test_a_search_of_a_bound_with_an_equal_start_tells_of_a_later_round(tmp_path, capsys):
    bound = 'me.claim("a", "D_W(t) <= D_W(0) + 1000*t")'
    assert status(["search", own_file(tmp_path, body=bound)]) == 0
    line = next(x for x in capsys.readouterr().out.splitlines() if "tightest" in x)
    assert "at round " in line
    assert "at round 0" not in line
