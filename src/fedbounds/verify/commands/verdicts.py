"""`fb.run` and `fb.results`: claims with their standings, as `verify` finds and writes them."""

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from fedbounds.errors import FedboundsError, require, unknown_name
from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.vocabulary import SIGNS, Standing

from ..decide.profile import Profile
from ..own.names import entries_named
from ..page.addresses import CERTIFICATES
from ..page.exports.artifact.witnesses import scripts as scripts_named
from ..page.exports.table import Column, Table, table
from ..page.formulas import NO_FORMULAS, formulas
from ..page.inline import picture
from ..page.overview import DOUBTFUL, by_standing, fails, instead
from ..page.rows import by_claim
from ..page.runs import CurveData, curve_data
from ..page.steps import mark
from ..page.summary import counted, judged_claims
from ..page.written import write_site
from ..results import run as judging
from ..results.document import Timing, document, write_document
from ..results.engine import engine_of
from ..results.files import RESULTS, inside, keep_folder_clean, write_text
from ..results.records import dumps
from ..results.results_file import read_document
from ..results.store import Store
from .prove import certificate_data

Record = dict[str, Any]
_LARGEST_SCRIPT = 2**24  # bytes
_COLUMNS = ("claim", "place", "standing", "tightness", "what fails", "what holds instead")


@dataclass(frozen=True, eq=False, repr=False)
class ClaimVerdict:
    """What is known of a claim after a run.

    Attributes
    ----------
    summary : dict
        Its entry of ``results.json``: standing, readings, tightness, coverage.
    records : tuple of dict
        Both sides on every instance, of every reading.
    fails, instead : str
        Of a claim that is refuted or in doubt, in a line each; else empty.
    steps : tuple of dict
        Of its proof, in the order of the paper; empty without a proof.
    scripts : mapping from reading to str
        A program for each reading that an exact instance breaks: it shows both sides.
    """

    summary: Record
    records: tuple[Record, ...]
    fails: str
    instead: str
    steps: tuple[Record, ...]
    scripts: Mapping[str, str]

    @property
    def standing(self) -> Standing:
        """Of the first reading, as computed from the records and the proof."""
        return Standing(self.summary["standing"])

    @property
    def tightness(self) -> float | None:
        """Largest left over right that was seen; None where no such ratio exists."""
        found: float | None = self.summary["readings"][0]["tightness"]
        return found

    @property
    def readings(self) -> Table:
        """A row for each reading of the text: what is found of it, how tight it is, on how much."""
        rows = [
            (one["name"], one["ambiguity"], one["statement"], one["tightness"], counted(one))
            for one in self.summary["readings"]
        ]
        return table(("reading", "which way", "found", "tightness", "records"), rows)

    @property
    def proof(self) -> Table:
        """A row for each step: what it says, and what replay says of it."""
        rows = [
            (one["id"], " ".join((one["left"], SIGNS[one["relation"]], one["right"])),
             "; ".join(one["conditions"]), mark(one))
            for one in self.steps
        ]  # fmt: skip
        return table(("step", Column("statement", math=True), "if", "replay says"), rows)

    @property
    def curve(self) -> CurveData | None:
        """The tightest run that is told round by round."""
        first = self.summary["readings"][0]["name"]
        return curve_data([row for row in self.records if row["reading"] == first])

    @property
    def ladders(self) -> list[Record]:
        """What grows or falls as one parameter does: values, series, and exponents."""
        every = (*self.records, *self.summary["displays"])
        return [row["ladder"] for row in every if "ladder" in row]

    def __repr__(self) -> str:
        tight = "" if self.tightness is None else f", tightness {self.tightness:.3g}"
        told = f": {self.fails}" if self.fails else ""
        return f"<{self.summary['id']} is {self.standing}{tight}{told}>"

    def _repr_html_(self) -> str:
        own = self.summary
        shown = formulas(own["id"]) if self._is_of_what_is_loaded() else NO_FORMULAS
        parts = shown.readings.get(own["readings"][0]["name"], ())
        lines = [f"<b>{escape(own['id'])}</b> ({escape(own['place'])}) is <b>{self.standing}</b>"]
        lines += [str(part.formula) for part in parts] or [escape(own["text"])]
        lines += [escape(text) for text in (self.fails, self.instead) if text]
        drawn = self.curve
        lines += [picture(drawn)] if drawn is not None else []
        return "".join(f"<p>{line}</p>" for line in lines)

    def _is_of_what_is_loaded(self) -> bool:
        """Whether a file that was changed, or another one of the same key, says nothing of it."""
        paper = self.summary["id"].partition("/")[0]
        return paper in PAPERS or any(
            row["key"].startswith(f"{engine_of(paper)}-") for row in self.records
        )


@dataclass(frozen=True, eq=False, repr=False)
class Verdicts(Mapping[str, ClaimVerdict]):
    """Claims of a run by id; a notebook shows a row for each.

    Attributes
    ----------
    document : dict
        As ``results.json`` has it, with the records.
    scripts : mapping from path to text
        Programs that show violations, as the records name them.
    """

    document: Record
    scripts: Mapping[str, str]

    def __getitem__(self, claim_id: str) -> ClaimVerdict:
        if claim_id not in self._claims:
            raise unknown_name("judged claim", claim_id, self._claims)
        own, rows = self._claims[claim_id], tuple(self._records.get(claim_id, ()))
        told = fails(self.document, own, rows), instead(self.document, own)
        told = told if own["standing"] in DOUBTFUL else ("", "")
        steps = self.document["proofs"].get(claim_id, {"steps": ()})["steps"]
        named = {one["name"]: one["witness"] for one in own["readings"]}
        scripts = {name: self.scripts[path] for name, path in named.items() if path in self.scripts}
        return ClaimVerdict(own, rows, *told, tuple(steps), scripts)

    def __contains__(self, claim_id: object) -> bool:
        return claim_id in self._claims

    def get(self, claim_id: str, default: Any = None) -> Any:
        """Of a claim that was judged; else the default."""
        known = claim_id in self._claims
        return self[claim_id] if known else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._claims)

    def __len__(self) -> int:
        return len(self._claims)

    @cached_property
    def _claims(self) -> dict[str, Record]:
        return {claim["id"]: claim for claim in judged_claims(self.document)}

    @cached_property
    def _records(self) -> dict[str, list[Record]]:
        return by_claim(self.document["results"])

    @property
    def table(self) -> Table:
        """A row for every claim."""
        rows = []
        for one in self.values():
            own = one.summary
            rows.append(
                (own["id"], own["place"], own["standing"], one.tightness, one.fails, one.instead)
            )
        return table(_COLUMNS, rows)

    def __repr__(self) -> str:
        words = (f"{amount} {word}" for word, amount in by_standing(list(self._claims.values())))
        return f"<{len(self)} claims: {', '.join(words) or 'none judged'}>"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def run(
    *names: str,
    profile: str = Profile.DEFAULT,
    seed: int = 0,
    workers: int = 1,
    out: str | Path | None = None,
) -> Verdicts:
    """Judge claims on their plans, with their proofs, as ``fedbounds verify`` does.

    Parameters
    ----------
    names : str
        As on the command line: papers, claims, files; all papers if none is given.
    profile : "quick", "default" or "thorough"
    seed : int
        Of what is drawn.
    workers : int
        Processes; they never change a result.
    out : path
        Folder of results, whose records are used again, with certificates and page as `verify`
        writes them; none is kept if left out.

    Raises
    ------
    FedboundsError
        If there is no such claim, file or profile.
    ConflictError
        If a claim is both proved and violated, which would be an error of this suite.
    """
    if profile not in list(Profile):
        raise unknown_name("profile", str(profile), Profile)
    require(isinstance(seed, int) and seed >= 0, "seed", repr(seed), "a whole number from 0")
    require(
        isinstance(workers, int) and workers >= 1, "workers", repr(workers), "a whole number from 1"
    )
    keep_folder_clean()
    entries = entries_named(names)
    settings = judging.Settings(Profile(profile), seed, workers)
    with TemporaryDirectory() if out is None else nullcontext(str(out)) as folder:
        store, began = Store(Path(folder)), perf_counter()
        found = judging.run(entries, settings, store)
        timing = Timing(perf_counter() - began)
        if out is None:
            data = document(found, settings, timing)
        else:
            data = _written(found, settings, store, timing)
        scripts = _scripts(store.folder, data)
    judging.refuse_conflicts(found.claims)
    return Verdicts(data, scripts)


def _written(
    found: judging.Results, settings: judging.Settings, store: Store, timing: Timing
) -> Record:
    """All of a result folder: what another run left beside the results would speak of that one."""
    target = store.file(CERTIFICATES)
    data = write_document(found, settings, store, timing)
    write_text(target, dumps(certificate_data(summary["id"] for summary in found.claims)))
    write_site(data, store.folder)
    return data


def results(folder: str | Path = "results") -> Verdicts:
    """What a run has left in a folder; nothing is run.

    Raises
    ------
    FedboundsError
        If there are no results, or they were edited.
    """
    path = Path(folder)
    data = read_document(path / RESULTS)
    return Verdicts(data, _scripts(path, data))


def _scripts(folder: Path, document: Record) -> dict[str, str]:
    """The scripts that the document names, as far as they are there; a stranger may have made it.

    Raises
    ------
    FedboundsError
        If one leads out of the folder, or is no text of moderate size.
    """
    paths = {name: inside(folder, name) for name in scripts_named(document)}
    return {name: _text(path) for name, path in paths.items() if path.is_file()}


def _text(path: Path) -> str:
    try:
        size = path.stat().st_size
        require(size <= _LARGEST_SCRIPT, f"size of {str(path)!r}", size, f"<= {_LARGEST_SCRIPT}")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not UTF-8 text"
        raise FedboundsError(f"cannot read {str(path)!r}: {why}") from error
