"""Thousands of edits of what a stranger may send, through the commands: files, formulas, options.

Whatever is typed or opened, the status is 0 or 2 and the error at most three lines; nothing is run
from it, and nothing is written outside the folder. Seeds are fixed, and work is limited by counts.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import click
import pytest
from edits import CODE, some_edits
from own_files import SMALL, own_file
from pages import proved_document, readable
from stored_documents import documents

from fedbounds.verify.commands.command_line import cli, status
from fedbounds.verify.results.records import sealed

LEFT_BY_CODE = "ran"  # the file that the code in edits would make
HEAVY = {
    "verify", "measure", "prove", "search", "selftest", "compare", "sensitivity", "worst",
    "mutants", "certificates", "export",
}  # fmt: skip
REPLAYS, RESULTS, SEALED, FORMULAS, OPTIONS = 600, 600, 250, 350, 450


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where everything happens; beside it is a file that nobody may touch."""
    (tmp_path / "beside").write_text("kept")
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    yield inside
    assert {path.name for path in tmp_path.iterdir()} == {"beside", "inside"}
    assert (tmp_path / "beside").read_text() == "kept"


def told(capsys, arguments):
    """Run a command in this process; why it is not clean, or nothing."""
    capsys.readouterr()
    try:
        code = status(list(map(str, arguments)))
    except BaseException as error:  # whatever it is, it should not have come here
        return f"{type(error).__name__}: {error}"
    return faults(code, capsys.readouterr().err)


def faults(code, err):
    """What is wrong with a status and its words; nothing if they are as they should be."""
    if code not in (0, 2):
        return f"status {code}: {err[-300:]}"
    if "Traceback" in err or (code == 2 and not 1 <= len(err.strip().splitlines()) <= 3):
        return f"status {code}, {len(err.splitlines())} lines: {err[-300:]}"
    return "" if not Path(LEFT_BY_CODE).exists() else "it ran code"


def clean(capsys, runs):
    """All runs of a kind; those that are not clean are shown together."""
    count, bad = 0, []
    for name, arguments in runs:
        count += 1
        fault = told(capsys, arguments)
        if fault:
            bad.append(f"{name}: {fault}")
    assert not bad, f"{len(bad)} of {count}:\n" + "\n".join(bad[:20])
    return count


# ---- what a stranger sends


def replays(folder, count, seed=1):
    """Edited files of instances, for `search --replay`."""
    random = Random(seed)
    every = list(documents().items())
    each = -(-count // len(every))
    for name, document in every:
        for at, edit in enumerate(some_edits(document, random, each)):
            path = folder / f"{name}-{at}.json"
            path.write_text(edit.text, encoding="utf-8", errors="surrogatepass")
            yield f"{name} {edit.path} {edit.what}", ["search", document["claim"], "--replay", path]


def results(folder, count, seed=2, *, seals=False):
    """Edited result folders; with ``seals``, by somebody who made the digest again."""
    random, document = Random(seed), readable(proved_document())
    for at, edit in enumerate(some_edits(document, random, count)):
        own = folder / f"results-{'sealed' if seals else 'edited'}-{at}"
        own.mkdir()
        text = edit.text
        if seals:
            try:
                text = sealed(json.loads(text))
            except (ValueError, TypeError, RecursionError, AttributeError):
                continue
        (own / "results.json").write_text(text, encoding="utf-8", errors="surrogatepass")
        commands = (
            ["report", own],
            ["report", own, "--referee", "personalization/thm-3.7"],
            ["report", own, "--artifact", own / "a.zip", "--latex", own / "marks.tex"],
            ["diff", own, own],
            ["show", "personalization/thm-3.7", "--out", own],
        )
        yield f"{edit.path} {edit.what}", commands[at % len(commands)]


PIECES = (
    "D_W(t)", "D_W(t+1)", "D_W(0)", "D_W(T)", "f(t)", "Mean_t(D_W(t))", "eta", "mu", "L", "b2",
    "sigma2", "n", "t", "T", "1", "0", "2", "0.5", "1e-3", "64", "+", "-", "*", "/", "**", "(", ")",
    ",", "<=", ">=", "==", "<", "=", " ", "sqrt(", "min(", "max(", "(-1)", "9**64", "**64", "1e400",
    "__import__('os').system('touch ran')", "().__class__", "lambda: 0", "D_W", "x", "'", '"', "\\",
    "\n", "#", ";", "[", "]", "{", "}", ":", "é", "\u2028", "if", "None", "True", "_", "..", "%",
)  # fmt: skip
VALID = "D_W(t+1) <= (1 - eta*mu)*D_W(t) + eta**2*sigma2/n"


def formula(random):
    """A formula with a few pieces changed, or pieces alone."""
    if random.random() < 0.4:
        return "".join(random.choice(PIECES) for _ in range(random.randint(1, 12)))
    text = VALID
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(text))
        text = text[:at] + random.choice(PIECES) + text[at + random.randint(0, 3) :]
    return text


NESTED = (
    "(((9**64)**64)**64)**64 <= 1",
    "D_W(t) <= 0**(-1)",
    "D_W(t) <= sqrt(-1)",
    "D_W(t) <= (mu-mu)**(-3)",
    "D_W(t) <= " + "(" * 900 + "1" + ")" * 900,
    "D_W(t) <= " + "-" * 1900 + "1",
    "D_W(t) <= " + "+".join(["D_W(t)"] * 250),
    "1 <= " + "**".join(["2"] * 40),
    "9**(9**9*T) <= 1",
    "(eta + mu + L + n + sigma2 + b2)**64 <= D_W(t)",
)


def formulas(folder, count, seed=3):
    """Formulas in a file of one's own, as claim, condition, or given; only read and listed."""
    random = Random(seed)
    for at in range(count):
        text = NESTED[at] if at < len(NESTED) else formula(random)
        body = (
            f"me.claim('a', {text!r}, uses=['conditions'])",
            f"me.claim('a', 'D_W(t) >= 0', conditions=[{text!r}])",
            f"me.given('g', {text!r}, 'said')\nme.claim('a', 'D_W(t) >= 0')",
        )[at % 3]
        path = own_file(folder, name=f"own{at}.py", problems=SMALL, body=body)
        yield repr(text), ["show" if at % 5 == 0 else "list", f"{path}::a" if at % 5 == 0 else path]


HOSTILE = (
    "", " ", "-1", "0", "nan", "inf", "1e400", "9" * 5000, "1/0", "../..", "/dev/null", "\x00",
    "\udcff", "é", CODE, "x=1", "n=1:2:3:4:5", "n=1:9999999999", "personalization/thm-3.7", "nobody",
    "nobody/x", "a.py::b", "cuda", "[", "${HOME}", "%s", "-", "--", "n=9" + "9" * 400, "beside",
)  # fmt: skip


def options(folder, count, seed=4):
    """Random options with hostile values; heavy commands are asked for a claim that there is not."""
    random = Random(seed)
    context = click.Context(cli)
    names = cli.list_commands(context)
    (folder / "a.json").write_text("{}")
    for _ in range(count):
        name = random.choice(names)
        command = cli.get_command(context, name)
        offered = [p for p in command.params if isinstance(p, click.Option)]
        arguments = [name]
        for option in random.sample(offered, min(len(offered), random.randint(0, 3))):
            arguments.append(random.choice(option.opts))
            if not option.is_flag:
                arguments.append(random.choice(HOSTILE))
        arguments += [random.choice(HOSTILE) for _ in range(random.randint(0, 2))]
        if name in HEAVY:
            arguments += ["nobody/claim"]
        yield " ".join(map(repr, arguments)), arguments


# ---- in one process, and as processes


def test_edited_replay_files(folder, capsys):
    assert clean(capsys, replays(folder, REPLAYS)) >= REPLAYS


def test_edited_result_folders(folder, capsys):
    assert clean(capsys, results(folder, RESULTS)) == RESULTS


def test_edited_result_folders_with_a_new_digest(folder, capsys):
    assert clean(capsys, results(folder, SEALED, seed=5, seals=True)) > SEALED / 2


def test_formulas(folder, capsys):
    assert clean(capsys, formulas(folder, FORMULAS)) == FORMULAS


def test_options(folder, capsys):
    assert clean(capsys, options(folder, OPTIONS)) == OPTIONS


def test_there_are_two_thousand_edits():
    assert REPLAYS + RESULTS + SEALED + FORMULAS + OPTIONS >= 2000


def test_as_processes(folder):
    """Thirty of them by themselves: nothing of theirs is left when they end."""
    kinds = (replays(folder, 400, 11), results(folder, 400, 12), formulas(folder, 400, 13))
    runs = [next(kind) for _ in range(10) for kind in kinds]
    bad = []
    for name, arguments in runs:
        command = [
            sys.executable,
            "-m",
            "fedbounds.verify.commands.command_line",
            *map(str, arguments),
        ]
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        ) as process:
            err = process.communicate()[1].decode("utf-8", "replace")
        fault = faults(process.returncode, err) or left_behind(process.pid)
        if fault:
            bad.append(f"{name}: {fault}")
    assert not bad, "\n".join(bad)


def left_behind(group):
    """Whether a process of a session is still there."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return ""
    return "a process is left"
