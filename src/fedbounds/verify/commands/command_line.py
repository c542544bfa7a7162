"""The command ``fedbounds``. Heavy imports wait until a command needs them."""

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import fedbounds
from fedbounds.errors import ConflictError, FedboundsError

from ..own.names import entries_named, entry_named, named_alone, spelled
from ..page.addresses import CERTIFICATES, CLAIMS, INDEX
from ..page.exports.option import TABLE, format_option, print_rows
from ..results.files import RESULTS, keep_folder_clean
from ..results.processes import collect_seldom
from . import LazyGroup
from .options import OutputFile, OutputFolder, device_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fedbounds.theory.language.catalogue import Entry
    from fedbounds.theory.language.claims import Claim

    from ..measure.device import Device
    from ..results.run import Results, Settings
    from ..results.store import Store

_OUT = click.option(
    "--out",
    default="results",
    show_default=True,
    type=OutputFolder(),
    help="Folder of results.",
)
_FROM = click.option("--out", default="results", show_default=True, help="Folder of results.")
_NAMES = click.argument("names", nargs=-1, metavar="[CLAIM|PAPER|FILE]...")
STATUSES = {  # that a command leaves with
    0: "complete, whatever was found",
    1: "asked for by --fail-on or --fail-on-change, or nobody reads the output any more",
    2: "bad input, or a file that cannot be read or written",
    3: "a conflict: proved and violated, or a planted error that is missed: an error of fedbounds",
    130: "interrupted; what was finished is kept, and the same command goes on",
}


@click.group(cls=LazyGroup, invoke_without_command=True)
@click.version_option(fedbounds.__version__, prog_name="fedbounds")
@click.pass_context
def cli(context: click.Context) -> None:
    """Check convergence theorems of partial federated optimisation."""
    if context.invoked_subcommand is None:
        from fedbounds.theory.language.catalogue import first_claim

        click.echo(_to_try(first_claim()))


def _to_try(claim_id: str) -> str:
    """The five commands to try next, on a claim and its paper."""
    paper = claim_id.partition("/")[0]
    commands = {
        "list": "claims, their kind, source and place",
        f"show {claim_id}": "its formulas and standing",
        f"verify {paper} --quick": "judge a paper's claims; write a page",
        f"prove {paper}": "replay proofs, step by step",
        f"search {claim_id}": "hunt for a small counterexample",
    }
    width = max(map(len, commands)) + 4
    return "\n".join(
        ["Try:", *(f"  fedbounds {typed:{width}}{told}" for typed, told in commands.items())]
    )


@cli.command("list")
@format_option
@click.argument("papers", nargs=-1, metavar="[PAPER]...")
def list_claims(papers: tuple[str, ...], form: str) -> None:
    """List claims: kind, source, place, statement."""
    entries = entries_named(papers)
    if form == TABLE:
        from ..page.listing import print_list

        print_list(entries)
    else:
        from ..page.exports.rows import listing

        print_rows(listing(entries), form)


@cli.command()
@click.argument("claim_id", metavar="CLAIM")
@click.option("--latex", is_flag=True, help="Print it as LaTeX, to be put into a document.")
@click.option(
    "--witness",
    is_flag=True,
    help="Print the witness found by the last run: its script, or two runs that differ.",
)
@format_option
@_FROM
def show(claim_id: str, latex: bool, witness: bool, form: str, out: str) -> None:
    """Show one claim: formulas, conditions, readings, standing."""
    if latex + witness + (form != TABLE) > 1:
        raise FedboundsError("--latex, --witness and --format exclude each other")
    found = entry_named(claim_id)
    claim_id = found.id
    from ..results.results_file import read_document

    path = Path(out) / RESULTS
    data = read_document(path) if path.exists() else {"claims": {}, "proofs": {}}
    summary = data["claims"].get(claim_id)
    if witness:
        _print_witness(found, summary, data.get("results", ()), Path(out))
        return
    from fedbounds.theory.language.registry import encoded

    claim = encoded(found) if found.module else None
    if form != TABLE:
        from ..page.exports.rows import formulas

        print_rows(formulas(found, claim, summary), form)
        return
    if latex:
        from ..page.exports.claim_latex import claim_latex

        click.echo(claim_latex(found, claim, summary, _proof(claim, data)), nl=False)
        return
    from ..page.tables import print_claim, print_entry

    if claim is not None:
        from fedbounds.theory.language.claims import Claim

        from ..page.words import print_words

        if isinstance(claim, Claim):
            print_claim(claim, summary)
            _print_proof(claim, _proof(claim, data))
        else:
            print_words(claim, summary)
    else:
        print_entry(found)


def _proof(claim: Any, data: dict[str, Any]) -> dict[str, Any] | None:
    """The proof of a claim from the last run, or from a replay; None if it has none."""
    from fedbounds.theory.language.claims import Claim

    from ..results.accepted import answered_chain

    if not isinstance(claim, Claim):
        return None
    return data.get("proofs", {}).get(claim.id) or answered_chain(claim)


def _print_proof(claim: "Claim", found: dict[str, Any] | None) -> None:
    """The chain of steps, and what is derived from it."""
    from ..page.premise_tables import print_derived, print_repair
    from ..page.proof_tables import print_chain

    if found:
        click.echo()
        print_chain(claim.entry.paper, found)
    print_derived(claim.id)
    print_repair(claim.id)


def _print_witness(
    entry: "Entry",
    summary: dict[str, Any] | None,
    records: "Sequence[dict[str, Any]]",
    folder: Path,
) -> None:
    """Its scripts; of two algorithms that differ the first run that shows it, of each reading."""
    from fedbounds.vocabulary import Verdict

    from ..results.files import inside

    scripts = [r["witness"] for r in (summary or {}).get("readings", []) if r["witness"]]
    own = [row for row in records if row["claim"] == entry.id and "difference" in row]
    apart = {row["reading"]: row for row in reversed(own)}
    for reading, row in apart.items():
        told = {"claim": entry.id, "reading": reading} | row["difference"]
        click.echo(json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False))
    without = {
        row["reading"]: f"no script shows the witness against the reading {row['reading']!r}: "
        f"{row['no_script']}; `fedbounds search {spelled(entry)} --replay {folder}` judges it again"
        for row in records
        if row["claim"] == entry.id and row.get("no_script")
    }
    again = f"fedbounds verify {spelled(entry)}"
    every = [row for row in records if row["claim"] == entry.id]
    shown = {
        x["reading"] for x in every if x.get("witness") or {"no_script", "difference"} & x.keys()
    }
    for row in every:
        if row.get("verdict") == Verdict.VIOLATED and row["reading"] not in shown:
            said = f"no file holds what breaks the reading {row['reading']!r}"
            on = row["problem"]["instance"]
            without.setdefault(row["reading"], f"{said}: {on}; `{again}` judges it again")
    if not scripts and not apart:
        none = f"{str(folder)!r} has no witness of {entry.id}; run `{again}` first"
        raise FedboundsError("; ".join(without.values()) or none)
    for line in without.values():
        click.echo(line, err=True)
    for script in scripts:
        path = inside(folder, script)
        if not path.is_file():
            raise FedboundsError(f"no witness script {str(path)!r}; run `fedbounds verify` again")
        click.echo(path.read_text(encoding="utf-8"))


def _run_options(command: Any) -> Any:
    """Options that `verify` and `measure` share."""
    for option in (
        click.option(
            "--json",
            "json_file",
            type=OutputFile(),
            help="Also write the results document to this file.",
        ),
        format_option,
        _OUT,
        click.option(
            "--workers",
            default=2,
            show_default=True,
            type=click.IntRange(1),
            help="Threads; they never change a result.",
        ),
        device_option,
        click.option("--seed", default=0, show_default=True, type=click.IntRange(0)),
        click.option("--thorough", is_flag=True, help="More instances and replicas."),
        click.option("--quick", is_flag=True, help="Fewer instances, no sampling."),
        click.option("-v", "--verbose", is_flag=True, help="Print all that was found."),
        click.option(
            "--fail-on",
            multiple=True,
            metavar="STANDING",
            help="Exit with status 1 if a claim has this standing.",
        ),
        _NAMES,
    ):
        command = option(command)
    return command


@cli.command()
@click.option("--laws", is_flag=True, help="Also the common laws of algorithms, for your own.")
@_run_options
def verify(names: tuple[str, ...], laws: bool, **options: Any) -> None:
    """Judge claims; write records, results.json and pages."""
    entries = entries_named(names)
    if laws:
        from ..page.own_laws import print_laws

        print_laws(entries)
    _judge(entries, page=True, **options)


@cli.command()
@_run_options
def measure(names: tuple[str, ...], **options: Any) -> None:
    """Judge claims by measurement alone; write records and results.json."""
    _judge(entries_named(names), page=False, **options)


@cli.command("prove")
@click.option("--json", "json_file", type=OutputFile(), help="Also write the proofs to this file.")
@click.option("--latex", is_flag=True, help="Print every step as LaTeX, and nothing else.")
@click.option("--steps", is_flag=True, help="Print every step, not only the findings.")
@click.option("--premises", is_flag=True, help="Drop each premise in turn and prove again.")
@format_option
@_OUT
@_NAMES
def prove_claims(
    names: tuple[str, ...],
    out: Path,
    json_file: Path | None,
    latex: bool,
    steps: bool,
    premises: bool,
    form: str,
) -> None:
    """Replay proofs, step by step; write every certificate to proofs.json.

    Claims that have a step without proof are measured too, for an exact instance against it.
    """
    if form != TABLE and (steps or latex or premises):
        raise FedboundsError("--format gives every step; it excludes --steps, --latex, --premises")
    entries = entries_named(names)
    from ..decide.profile import Profile
    from ..page.proof_tables import print_chain, print_proofs
    from ..results.files import write_text
    from ..results.records import dumps
    from ..results.run import Settings, refuse_conflicts
    from ..results.store import Store
    from .prove import certificate_data, prove_entries, require_proofs

    require_proofs(named_alone(names, entries))
    keep_folder_clean()
    store = Store(out)
    target = store.file(CERTIFICATES)
    began = time.perf_counter()
    found = prove_entries(entries, Settings(Profile.QUICK), store)
    rows = found.rows
    data = certificate_data(key for key in rows if "/" in key)
    write_text(target, dumps(data))
    if json_file:
        write_text(json_file, dumps(rows))
    written = f"certificates: {target}"
    if form != TABLE:
        from ..page.exports.rows import steps as step_rows

        print_rows(step_rows(rows), form)
        click.echo(written, err=True)
    elif latex:
        from ..page.exports.claim_latex import steps_latex

        for row in rows.values():
            click.echo(steps_latex(row), nl=False)
        click.echo(written, err=True)
    else:
        for key, row in rows.items() if steps else ():
            print_chain(key.partition("/")[0], row)
        if premises:
            from ..page.premise_tables import premises_of, print_premises

            print_premises(premises_of(entries))
        print_proofs(rows, [written], time.perf_counter() - began)
    refuse_conflicts(found.measured)


def _judge(
    entries: "Sequence[Entry]",
    *,
    page: bool,
    quick: bool,
    thorough: bool,
    seed: int,
    workers: int,
    device: "Device",
    out: Path,
    json_file: Path | None,
    fail_on: tuple[str, ...],
    form: str,
    verbose: bool,
) -> None:
    if quick and thorough:
        raise FedboundsError("--quick and --thorough exclude each other")
    wanted = _standings(fail_on)
    from ..decide.profile import Profile
    from ..results.files import inside, require_folder
    from ..results.run import Settings, refuse_conflicts, run
    from ..results.store import Store
    from .progress import progress

    profile = Profile.QUICK if quick else Profile.THOROUGH if thorough else Profile.DEFAULT
    keep_folder_clean()
    settings = Settings(profile, seed, workers, device)
    store = Store(out)
    for name in (RESULTS, INDEX, CERTIFICATES) if page else (RESULTS,):
        store.file(name)  # refused now, if it cannot be written
    if page:
        require_folder(inside(store.folder, CLAIMS))
    began = time.perf_counter()
    with progress() as told:
        results = run(entries, settings, store, told)
    _write(results, settings, store, time.perf_counter() - began, page, json_file, form, verbose)
    refuse_conflicts(results.claims)
    if any(summary["standing"] in wanted for summary in results.claims):
        raise click.exceptions.Exit(1)


def _standings(names: tuple[str, ...]) -> frozenset[str]:
    from fedbounds.errors import unknown_name
    from fedbounds.vocabulary import Standing

    known = {standing.value for standing in Standing}
    for name in names:
        if name not in known:
            raise unknown_name("standing", name, known)
    return frozenset(names)


def _write(
    results: "Results",
    settings: "Settings",
    store: "Store",
    seconds: float,
    page: bool,
    json_file: Path | None,
    form: str,
    verbose: bool,
) -> None:
    from ..page.tables import print_results
    from ..results.document import Timing, write_document
    from ..results.files import write_text
    from ..results.records import sealed
    from ..results.results_file import standings_at

    target = store.file(RESULTS)
    before = standings_at(target)
    data = write_document(results, settings, store, Timing(seconds))
    paths = [f"results: {target}"]
    if json_file:
        write_text(json_file, sealed(data))
        paths.append(f"results: {json_file}")
    if page:
        paths.append(f"certificates: {_write_certificates(results, store)}")
        paths.append(f"page: {_make_page(data, store.folder)}")
    elif (old := store.folder / INDEX).exists():
        paths.append(f"page: {old} is of a run before; `fedbounds report {store.folder}` renews it")
    if form == TABLE:
        print_results(data, paths, before, verbose=verbose)
        return
    from ..page.exports.rows import results as rows

    print_rows(rows(data), form)
    for path in paths:
        click.echo(path, err=True)


def _write_certificates(results: "Results", store: "Store") -> Path:
    """Everything that was proved, for who checks it without us."""
    from ..results.files import write_text
    from ..results.records import dumps
    from .prove import certificate_data

    target = store.file(CERTIFICATES)
    write_text(target, dumps(certificate_data(summary["id"] for summary in results.claims)))
    return target


def _make_page(data: dict[str, Any], folder: Path) -> Path:
    from ..page.written import write_site

    return write_site(data, folder)


@cli.command()
@click.argument("folder", default="results")
@click.option(
    "--figures",
    metavar="FOLDER",
    type=OutputFolder(),
    help="Also write every figure there, with its data.",
)
@click.option(
    "--figure-format",
    "formats",
    multiple=True,
    type=click.Choice(["pdf", "svg"]),
    help="Of figures; both if not given.",
)
@click.option("--referee", metavar="CLAIM", help="Only print a paragraph for its authors.")
@click.option(
    "--artifact",
    "zip_file",
    type=OutputFile(".zip"),
    help="Also write one archive for authors and reviewers: a ZIP file.",
)
@click.option(
    "--latex",
    "tex_file",
    type=OutputFile(".tex"),
    help="Also write macros that mark theorems in LaTeX with their standing.",
)
def report(
    folder: str,
    figures: Path | None,
    formats: tuple[str, ...],
    referee: str | None,
    zip_file: Path | None,
    tex_file: Path | None,
) -> None:
    """Make the pages of a result folder from its results.json."""
    if formats and figures is None:
        raise FedboundsError("--figure-format needs --figures FOLDER")
    also = {"--figures": figures, "--artifact": zip_file, "--latex": tex_file}
    excluded = [option for option, given in also.items() if given is not None]
    if referee is not None and excluded:
        raise FedboundsError(
            f"--referee prints a paragraph alone; it excludes {', '.join(excluded)}"
        )
    from ..results.results_file import read_document

    path = Path(folder) / RESULTS
    data = read_document(path)
    try:
        if referee is not None:
            from ..page.referee import referee_paragraph
            from ..page.summary import named

            click.echo(referee_paragraph(data, named(data, referee)))
            return
        from .report import made, write_made

        files = made(data, Path(folder), zip_file, tex_file)
        click.echo(f"page: {_make_page(data, Path(folder))}")
        if figures is not None:
            from ..page.exports.figures import FORMATS, write_figures

            paths = write_figures(data, figures, formats or FORMATS)
            click.echo(f"figures: {len(paths)} files in {figures}")
        write_made(files)
    except FedboundsError as error:
        raise FedboundsError(f"{path}: {error}") from error


@cli.command()
@click.argument("claim_id", metavar="CLAIM", required=False)
@click.option(
    "--replay",
    metavar="FILE",
    help="Judge the exact instance of a saved witness, or all that a result folder keeps.",
)
@click.option(
    "--examples",
    default=500,
    show_default=True,
    type=click.IntRange(1),
    help="Small exact instances to try for a violation.",
)
@click.option(
    "--budget",
    default=1000,
    show_default=True,
    type=click.IntRange(1),
    help="Evaluations in the search for the tightest instance.",
)
@click.option(
    "--save",
    metavar="FILE",
    type=OutputFile(),
    help="Keep the tightest instance, for --replay.",
)
def search(
    claim_id: str | None, replay: str | None, examples: int, budget: int, save: Path | None
) -> None:
    """Hunt for the smallest exact counterexample of each reading, and for the tightest instance.

    With --replay of a file, CLAIM may be left out: the file names its own.
    """
    chosen = None if claim_id is None else entry_named(claim_id)
    from . import hunt

    keep_folder_clean()
    if replay is not None:
        hunt.replay(chosen, Path(replay))
    elif chosen is not None:
        hunt.search(chosen, examples, budget, save)
    else:
        raise FedboundsError("search needs a CLAIM to hunt for, or --replay FILE")


def main(arguments: list[str] | None = None) -> None:
    """Run a command and leave with one of `STATUSES`."""
    collect_seldom()
    code = status(arguments)
    try:
        sys.stdout.flush()
    except OSError:  # told already; Python would try again when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def status(arguments: list[str] | None = None) -> int:
    """The exit status of a command; errors are one or two lines, never a traceback."""
    try:
        code = cli.main(args=arguments, prog_name="fedbounds", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        _tell(error.format_message())
        return 2
    except FedboundsError as error:
        _tell(str(error))
        return 2
    except ConflictError as error:
        _tell(f"conflict: {error}")
        return 3
    except BrokenPipeError:  # who read the output has left
        return 1
    except OSError as error:
        what = repr(error.filename) if error.filename else "standard output"
        _tell(f"{what}: {error.strerror}")
        return 2
    except (KeyboardInterrupt, click.Abort):
        _tell("interrupted; finished records are kept, the same command resumes")
        return 130


def _tell(why: str) -> None:
    """An error on one line; what no terminal can show, such as a name that is no UTF-8, escaped."""
    shown = why.encode("utf-8", "backslashreplace").decode("utf-8")
    click.echo(f"fedbounds: {shown}", err=True)
