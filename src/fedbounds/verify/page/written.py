"""The site of a run: an index, findings first, and a page per judged claim; plain files.

Everything on it is computed from the results document; no verdict and no count is written here
or in the templates. Formulas come from the registry of claims, what rests on what from the document
or the catalogue; witness scripts are linked where they lie in the result folder.
"""

import shlex
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fedbounds.errors import FedboundsError
from fedbounds.verify.results.files import delete, file_of, inside, make_folder, write_text

from . import (
    coverage,
    downloads,
    figures,
    graph,
    numbers,
    proof_findings,
    proofs,
    sections,
    sentences,
    standings,
    steps,
    summary,
    told,
)
from .addresses import CLAIMS, INDEX
from .formulas import formulas, with_equal_terms
from .incomplete import complete
from .limits import limits
from .proof_steps import Source
from .rows import by_claim
from .template_text import template_text

Record = dict[str, Any]

STYLE = "page.css"
_LARGEST = 1_000_000  # bytes of a page of a claim with all instances it may list
_INSTANCES = (20, 8)  # listed of the headline reading: as a rule, and where that is too much


def site(document: Record, folder: Path | None = None) -> dict[str, str]:
    """The files of the site by their names below the result folder.

    Parameters
    ----------
    document : dict
        The results document, as `fedbounds.verify.results.document.document` makes it.
    folder : Path or None
        The result folder, whose files are linked; without it only their paths are told.

    Raises
    ------
    FedboundsError
        If the document is not one, or of another schema.
    """
    with complete():
        _check_schema(document)
        judged = summary.judged_claims(document)
        records = by_claim(document["results"])
        source = proofs.source_of(document, folder)
        table = downloads.claims_csv(document)
        return {
            STYLE: template_text(STYLE),
            downloads.TABLE: table,
            **dict(_pages(document, judged, records, source)),
            INDEX: _index(document, judged, records, source, table),
        }


def write_site(document: Record, folder: Path) -> Path:
    """Write the site of a results document into its folder; each file whole or not at all.

    Pages of claims that are no longer there are removed.

    Returns
    -------
    Path
        The index, which is written last.

    Raises
    ------
    FedboundsError
        If a file cannot be written.
    """
    index = file_of(folder, INDEX)  # refused before any work
    files = site(document, folder)
    own = inside(folder, CLAIMS)
    make_folder(own)
    for name, text in files.items():
        write_text(file_of(folder, name), text)
    for path in sorted(own.glob("claim-*.html")):
        if f"{CLAIMS}/{path.name}" not in files:
            delete(path)
    return index


def _check_schema(document: Record) -> None:
    from fedbounds.verify.results.records import SCHEMA

    if document.get("schema") != SCHEMA:
        raise FedboundsError(
            f"the results document has schema {document.get('schema')!r}; expected {SCHEMA}"
        )


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
        "capital": numbers.capital,
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


def _scripts(*names: str) -> Record:
    """The script of a page; a browser runs it and no other one, whatever text the results bring."""
    script = "".join(map(template_text, names))
    told = b64encode(sha256(script.encode()).digest()).decode()
    return {"script": Markup(script), "script_hash": told}


def _pages(
    document: Record, judged: list[Record], records: dict[str, list[Record]], source: Source
) -> Iterator[tuple[str, str]]:
    """Name and text of the page of each judged claim, each linked to the one before and after."""
    template = _environment().get_template("claim.html.j2")
    uses, users = graph.linked(document["claims"])
    names = {key: title for key, title, _ in summary.titles(document)}
    shared = _scripts("page.js") | {
        "run": document["run"],
        "meaning": {word.value: text for word, text in standings.MEANING.items()},
        "clipped_at": numbers.number(figures.SMALLEST),
        "address": source.addresses.from_claim,
        "in_folder": source.folder is not None,
    }
    for before, claim, after in zip([None, *judged], judged, [*judged[1:], None], strict=False):
        rows, view = records.get(claim["id"], []), formulas(claim["id"])
        proof = proofs.proof_view(source, claim["id"], claim["readings"][0]["name"])
        about = shared | {
            "told": told.told_of(document, claim, records),
            "before": before,
            "after": after,
            "paper": names[claim["id"].partition("/")[0]],
            "mended": document["claims"].get(claim["id"] + steps.CORRECTED),
            "rests_on": [document["claims"][name] for name in uses[claim["id"]]],
            "used_by": [document["claims"][name] for name in users[claim["id"]]],
            "command": summary.verify_again([summary.typed(claim)], document),
        }
        for instances in _INSTANCES:
            found = sections.section(claim, rows, view, proof, source.folder, instances)
            text = template.render(about | {"found": found})
            if len(text.encode()) <= _LARGEST:
                break
        yield source.addresses.from_index(claim["id"]), text


def _index(
    document: Record,
    judged: list[Record],
    records: dict[str, list[Record]],
    source: Source,
    table: str,
) -> str:
    ordered = sections.by_gravity(judged)
    every = summary.in_order(document)
    graphs = (
        (title, graph.graph([c for c in every if c["id"].partition("/")[0] == key]))
        for key, title, _ in summary.titles(document)
    )
    return _environment().get_template("index.html.j2").render(
        _scripts("page.js", "index.js")
        | {
            "run": document["run"],
            "papers": summary.papers(document),
            "tiles": told.tiles(document, judged, records),
            "findings": told.in_doubt(document, judged, records),
            "elsewhere": told.refuted_elsewhere(judged, records),
            "sentences": sentences.sentences(document),
            "graphs": [(title, found) for title, found in graphs if found is not None],
            "claims": ordered,
            "failing": proof_findings.failing(document),
            "given": proofs.given_views(source),
            "proofs_told": bool(document["proofs"]),
            "signs": steps.SIGNS,
            "proof_cells": {claim["id"]: _proof_cell(document, claim) for claim in ordered},
            "verdicts": sections.verdicts_seen(judged),
            "unjudged": _unjudged(document),
            "coverage": coverage.coverage_table(ordered),
            "covered": coverage.COVERED,
            "methods": summary.methods(document["results"]),
            "standings": summary.standings(document),
            "command": summary.command(document),
            "downloads": downloads.downloads(document, source.folder, table),
            "scripts": downloads.scripts_told(document),
            "address": source.addresses.from_index,
        }
    )  # fmt: skip


def _proof_cell(document: Record, claim: Record) -> str:
    return proof_findings.status_cell(document["proofs"], claim["id"], claim["readings"][0]["name"])


def _unjudged(document: Record) -> list[tuple[str, list[Record]]]:
    """Claims without a judgement by kind, in the order of their paper."""
    found: dict[str, list[Record]] = {}
    for claim in summary.in_order(document):
        if not summary.is_judged(claim):
            found.setdefault(claim["kind"], []).append(claim)
    return list(found.items())
