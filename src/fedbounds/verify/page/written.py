"""The page of a run: one HTML file that needs nothing else, findings first.

Everything on it is computed from the results document; no verdict and no count is written here
or in the template. Formulas come from the registry of claims, what rests on what from the document
or the catalogue, witness scripts from the result folder.
"""

import shlex
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template, UndefinedError
from markupsafe import Markup

from fedbounds.errors import FedboundsError
from fedbounds.verify.page.limits import limits
from fedbounds.verify.results.files import write_text

from . import (
    coverage,
    downloads,
    figures,
    findings,
    graph,
    numbers,
    proof_findings,
    proofs,
    sections,
    sentences,
    standings,
    steps,
    summary,
)
from .detail import LEVELS, Detail, Room
from .formulas import formulas, with_equal_terms

Record = dict[str, Any]

LARGEST = 3_000_000  # bytes of a page
# what a document lacks or has otherwise shows as one of these
_INCOMPLETE = (
    LookupError,
    TypeError,
    ValueError,
    ArithmeticError,
    AttributeError,
    RecursionError,
    UndefinedError,
)


def render(document: Record, folder: Path | None = None) -> str:
    """The page as text; of a run too large for it, with fewer instances and rounds.

    Parameters
    ----------
    document : dict
        The results document, as `fedbounds.verify.results.document.document` makes it.
    folder : Path or None
        The result folder, whose witness scripts are shown; without it only their paths are.

    Raises
    ------
    FedboundsError
        If the document is not one, or of another schema.
    """
    try:
        template, context = _environment().get_template("page.html.j2"), _context(document, folder)
        for detail in LEVELS[:-1]:
            text = _short(template, context | _detailed(document, context, folder, detail))
            if text is not None:
                return text
        return template.render(context | _detailed(document, context, folder, LEVELS[-1]))
    except FedboundsError:
        raise
    except _INCOMPLETE as error:
        raise FedboundsError(
            f"the results document is incomplete ({type(error).__name__}: {error}); "
            "run `fedbounds verify` again"
        ) from error


def _short(template: Template, context: Record) -> str | None:
    """The page; None as soon as it is larger than one may be."""
    pieces, size = [], 0
    for piece in template.generate(context):
        pieces.append(piece)
        size += len(piece.encode())
        if size > LARGEST:
            return None
    return "".join(pieces)


def write_page(document: Record, path: Path) -> None:
    """Write the page of a results document, whole or not at all.

    Witness scripts are looked for beside the page.

    Raises
    ------
    FedboundsError
        If the file cannot be written.
    """
    write_text(path, render(document, path.parent))


@cache
def _environment() -> Environment:
    found = Environment(
        loader=PackageLoader("fedbounds.verify.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "number": numbers.number,
        "limits": limits,
        "side": numbers.side,
        "power": summary.power,
        "equality_words": summary.equality_words,
        "short": summary.short_id,
        "anchor": summary.anchor,
        "sort_key": numbers.sort_key,
        "slug": standings.slug,
        "with_equal_terms": with_equal_terms,
        "quoted": shlex.quote,
        "typed": summary.typed,
    }
    return found


def _context(document: Record, folder: Path | None) -> Record:
    """All that the template shows, but what depends on how much there is room for."""
    _check_schema(document)
    judged = summary.judged_claims(document)
    records: dict[str, list[Record]] = {}
    for row in document["results"]:
        records.setdefault(row["claim"], []).append(row)
    views = {claim["id"]: formulas(claim["id"]) for claim in judged}
    ordered = sections.by_gravity(judged)
    return {
        "run": document["run"],
        "results": downloads.Results(document),
        "papers": summary.papers(document),
        "titles": summary.titles(document),
        "sentences": sentences.sentences(document),
        "graph": graph.graph(document),
        "findings": findings.findings(ordered, records, views, folder, document),
        "claims": ordered,
        "failing": proof_findings.failing(document),
        "proofs_told": bool(document["proofs"]),
        "signs": steps.SIGNS,
        "proof_cells": {claim["id"]: _proof_cell(document, claim) for claim in ordered},
        "verdicts": sections.verdicts_seen(judged),
        "records": records,
        "views": views,
        "unjudged": _unjudged(document),
        "coverage": coverage.coverage_table(ordered),
        "covered": coverage.COVERED,
        "methods": summary.methods(document["results"]),
        "standings": summary.standings(document),
        "command": summary.command(document),
        "clipped_at": numbers.number(figures.SMALLEST),
        "script": _script(),
        # a browser runs this script and no other one, whatever text the results bring
        "script_hash": b64encode(sha256(_script().encode()).digest()).decode(),
    }


@cache
def _script() -> Markup:
    path = resources.files("fedbounds.verify.page") / "templates" / "page.js"
    return Markup(path.read_text(encoding="utf-8"))


def _proof_cell(document: Record, claim: Record) -> str:
    return proof_findings.status_cell(document["proofs"], claim["id"], claim["readings"][0]["name"])


def _detailed(document: Record, context: Record, folder: Path | None, detail: Detail) -> Record:
    source = proofs.source_of(document, folder, detail.proofs, context["views"])
    return {
        # made as the template comes to them: where a page gets too large, the rest is not made
        "sections": (
            sections.section(
                claim,
                context["records"].get(claim["id"], []),
                context["views"][claim["id"]],
                proofs.proof_view(source, claim["id"], claim["readings"][0]["name"]),
                detail,
            )
            for claim in context["claims"]
        ),
        "given": proofs.given_views(source),
        "left_out": "" if detail.proofs is Room.ALL else detail.proofs.value,
        "downloads": downloads.downloads(context["results"], folder, detail.room),
    }


def _check_schema(document: Record) -> None:
    from fedbounds.verify.results.records import SCHEMA

    if document.get("schema") != SCHEMA:
        raise FedboundsError(
            f"the results document has schema {document.get('schema')!r}; expected {SCHEMA}"
        )


def _unjudged(document: Record) -> list[tuple[str, list[Record]]]:
    """Claims without a judgement by kind, in the order of their paper."""
    judged = {claim["id"] for claim in summary.judged_claims(document)}
    found: dict[str, list[Record]] = {}
    for claim in summary.in_order(document):
        if claim["id"] not in judged:
            found.setdefault(claim["kind"], []).append(claim)
    return list(found.items())
