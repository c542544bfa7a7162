"""The command ``fedbounds compare``: algorithms side by side, or bound against bound."""

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from fedbounds.errors import FedboundsError, require
from fedbounds.verify.commands.options import OutputFile, pairs
from fedbounds.verify.own.names import entry_named
from fedbounds.verify.page.exports.option import TABLE, format_option, print_rows

from .phase import SUFFIXES

_SHARED = {"names", "csv_file", "figure", "form", "progress"}
_OF_BOUNDS = {"over", "given"}
_COUNTS = ("local_steps", "participants")


def _list(_: click.Context, parameter: click.Parameter, text: str | None) -> Any:
    """Numbers with commas between them; whole ones for counts."""
    if text is None:
        return None
    kind = int if parameter.name in _COUNTS else float
    try:
        return tuple(dict.fromkeys(kind(part) for part in text.split(",")))
    except ValueError as error:
        what = "whole numbers" if kind is int else "numbers"
        raise FedboundsError(
            f"{parameter.opts[0]} is {text!r}; expected {what} with commas between them"
        ) from error


@click.command()
@click.argument("names", nargs=-1, metavar="ALGORITHM|CLAIM...")
@click.option(
    "--steps",
    type=click.Choice(["optimal", "tuned", "equal"]),
    help="Step sizes: best for the theorem (default on quadratics), best as measured on a grid "
    "(default elsewhere), or the same for all.",
)
@click.option("--step", type=float, help="The step size gamma of --steps equal.")
@click.option("--b2", callback=_list, help="Values of b^2, such as 0,1,10.")
@click.option("--heterogeneity", callback=_list, help="Instead of b^2, for logistic data.")
@click.option("--K", "local_steps", callback=_list, help="Values of K, such as 1,4,16.")
@click.option("--m", "participants", callback=_list, help="Values of m, such as 1,5,10.")
@click.option("--eps", type=float, help="Error to reach; 0.01, or 0.1 if sampled.")
@click.option(
    "--problem",
    default="quadratic",
    show_default=True,
    type=click.Choice(["quadratic", "cosine", "logistic"]),
    help="Exact expectations on quadratics; the others are sampled.",
)
@click.option("--n", "clients", default=10, show_default=True, help="Clients.")
@click.option("--d-u", "shared", default=2, show_default=True, help="Shared dimension.")
@click.option(
    "--d-v", "personal", default=1, show_default=True, help="Personal dimension; 0: FedAvg."
)
@click.option("--noise", default=0.1, show_default=True, help="Deviation of gradient noise.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
@click.option("--limit", type=int, help="Most rounds of a run; 1000000, or 500 if sampled.")
@click.option("--replicas", default=128, show_default=True, help="Of each sampled run.")
@click.option("--over", multiple=True, metavar="NAME=LOW:HIGH", help="Axis of a grid of bounds.")
@click.option("--set", "given", multiple=True, metavar="NAME=VALUE", help="A constant of bounds.")
@click.option(
    "--csv",
    "csv_file",
    metavar="FILE",
    type=OutputFile(),
    help="Write every number behind the table.",
)
@click.option(
    "--figure",
    metavar="FILE",
    type=OutputFile(*SUFFIXES),
    help="Write a phase diagram: .pdf, .svg or .png.",
)
@format_option
@click.pass_context
def compare(context: click.Context, /, names: tuple[str, ...], **options: Any) -> None:
    """Compare algorithms, or bounds, over a grid of parameters.

    fedbounds compare FedAvg-P Scaffold-P --b2 0,1,10 --K 1,4,16 --m 1,5,10: rounds to eps,
    predicted by each theorem and measured.

    fedbounds compare CLAIM CLAIM --over K=1:100 --over m=1:20 --set n=20 ...: where each bound
    is the smaller one, each at its own best admissible step size.
    """
    if len(names) < 2:
        from fedbounds.theory.language.registry import contenders

        known = ", ".join(contenders())
        raise FedboundsError(
            f"number of names is {len(names)}; expected two algorithms ({known}), or two claims"
        )
    claims = [x for x in names if "/" in x or "::" in x or x.endswith(".py")]
    if claims and len(claims) < len(names):
        other = next(name for name in names if name not in claims)
        raise FedboundsError(
            f"{claims[0]!r} is a claim and {other!r} is not; expected algorithms or claims alone"
        )
    _refuse_options(context, _OF_BOUNDS, wanted=bool(claims))
    if claims:
        _bounds(names, **{k: options[k] for k in (*_OF_BOUNDS, "csv_file", "figure", "form")})
    else:
        _algorithms(names, **{k: v for k, v in options.items() if k not in _OF_BOUNDS})


def _refuse_options(context: click.Context, of_bounds: set[str], *, wanted: bool) -> None:
    """Refuse options of the other kind of comparison."""
    for parameter in context.command.params:
        name = parameter.name or ""
        typed = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if typed and name not in _SHARED and (name in of_bounds) is not wanted:
            kind = "algorithms" if wanted else "claims"
            raise FedboundsError(f"{parameter.opts[0]} is for comparing {kind}; expected none here")


def _algorithms(
    names: tuple[str, ...], *, csv_file: Path | None, figure: Path | None, form: str, **options: Any
) -> None:
    from .contenders import contender
    from .contest import contest
    from .rows import data, panels, print_contest

    plan = _plan(**options)
    rows = contest(tuple(contender(name) for name in names), plan)
    labels = ("K", "m")
    written = _write(data(rows, plan), csv_file)
    if figure:
        from .phase import draw

        draw(panels(rows, plan), names, labels, figure)
        written.append(f"figure: {figure}")
    if form == TABLE:
        print_contest(rows, plan, written)
    else:
        print_rows(data(rows, plan), form)


def _plan(
    *,
    problem: str,
    steps: str | None,
    b2: tuple[float, ...] | None,
    heterogeneity: tuple[float, ...] | None,
    local_steps: tuple[int, ...] | None,
    participants: tuple[int, ...] | None,
    clients: int,
    eps: float | None,
    limit: int | None,
    **rest: Any,
) -> Any:
    """The plan of a contest, what is left out filled in."""
    from .field import Family, Shape
    from .plan import DEFAULTS, Plan, Steps

    family = Family(problem)
    logistic = family is Family.LOGISTIC
    if (b2 if logistic else heterogeneity) is not None:
        raise FedboundsError(
            "logistic data have the b^2 that follows from them; expected --heterogeneity"
            if logistic
            else f"--heterogeneity is for logistic data; expected --b2 for a {problem} problem"
        )
    default = DEFAULTS[family]
    shape = Shape(family, clients, *(rest[k] for k in ("shared", "personal", "noise", "seed")))
    return Plan(
        shape=shape,
        spreads=(heterogeneity if logistic else b2) or default.spreads,
        steps=local_steps or default.steps,
        participants=participants or tuple(dict.fromkeys((1, max(1, clients // 2), clients))),
        eps=default.eps if eps is None else eps,
        mode=default.mode if steps is None else Steps(steps),
        step=rest["step"],
        limit=default.limit if limit is None else limit,
        replicas=rest["replicas"],
    )


def _bounds(
    names: tuple[str, ...],
    *,
    over: tuple[str, ...],
    given: tuple[str, ...],
    csv_file: Path | None,
    figure: Path | None,
    form: str,
) -> None:
    from .region_rows import data, panels, print_regions
    from .regions import regions, sides

    require(len(names) == 2, "number of claims", len(names), "2")
    require(names[0] != names[1], "claims", ", ".join(names), "two different ones")
    require(not figure or len(over) <= 2, "axes of a figure", len(over), "1 or 2")
    pair = sides(*(_claim(name) for name in names))
    found = regions(pair, pairs("--set", given), pairs("--over", over))
    written = _write(data(found), csv_file)
    if figure:
        from .phase import draw

        across, up = (*(a.name for a in found.axes), "")[:2]
        draw(panels(found), [side.name for side in pair], (across, up), figure)
        written.append(f"figure: {figure}")
    if form == TABLE:
        print_regions(found, written)
    else:
        print_rows(data(found), form)


def _claim(name: str) -> Any:
    """Name, claim, and the part that CLAIM:PART names."""
    from fedbounds.theory.language.claims import Claim
    from fedbounds.theory.language.registry import encoded

    head, colon, part = name.rpartition(":")
    single = bool(colon) and not head.endswith(":") and "/" not in part
    found = entry_named(head if single else name)
    claim = encoded(found) if found.module else None
    if not isinstance(claim, Claim):
        raise FedboundsError(
            f"{found.id} is of kind {found.kind.value}: it has no bound to compare"
        )
    return name, claim, part if single else None


def _write(found: Any, csv_file: Path | None) -> list[str]:
    """Lines that name the files written."""
    if csv_file is None:
        return []
    from fedbounds.verify.page.exports.render import render
    from fedbounds.verify.results.files import write_text

    write_text(csv_file, render(found, "csv"))
    return [f"data: {csv_file}"]
