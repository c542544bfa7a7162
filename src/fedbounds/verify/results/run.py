"""Run a plan: judge every instance, keep every record, sum up every claim."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.theory.language.catalogue import Entry
from fedbounds.theory.language.claims import Claim, Reading, read
from fedbounds.theory.language.contributed import contributed, declared
from fedbounds.theory.language.registry import encoded, encoded_claims
from fedbounds.vocabulary import Standing, Verdict

from ..decide.case import Case
from ..decide.measurement import fingerprint
from ..decide.profile import Profile
from ..judge.given import with_givens
from ..judge.judge import concerned
from ..judge.plan import instances
from ..judge.proofs import Proofs, proof_rows, prove, with_measurements
from ..judge.settled import Finding, as_record
from ..judge.standing import REFUSED
from ..judge.summary import summarise
from ..measure.device import Device, namespace
from ..search.leads import Lead, leads_of
from ..search.tightest import BUDGET, places
from ..setups.instance_file import from_data
from .engine import engine_of
from .kept import kept_displays, kept_later, kept_steps
from .processes import worker_pool
from .store import Store, claim_text, record_key
from .witness_records import Suspects, witness_name, witness_records
from .work import findings_of, judged_records, searched

Record = dict[str, Any]
Progress = Callable[[str, int, int], None]  # what is under way, how many done, of how many

# of fewer instances, as a quick run of a file has, starting processes costs more than it saves
_SMALL_PLAN = 100
# evaluations of the search for the tightest instance of a claim
_BUDGET = {Profile.QUICK: 0, Profile.DEFAULT: BUDGET, Profile.THOROUGH: 10 * BUDGET}
_OF_FILES = 4  # times fewer for a user's file, whose first verdict is to come soon
_UNPROVED = 3  # times as many where a reading has no proof, and nothing planned breaks it
_BATCH = 8  # instances handed to a process at a time
_SEARCHED = 1500  # evaluations, about: of searches that are handed to a process together


@dataclass(frozen=True)
class Settings:
    """What a run is determined by, and how many processes it may use."""

    profile: Profile = Profile.DEFAULT
    seed: int = 0
    workers: int = 2
    device: Device = Device.CPU


@dataclass(frozen=True)
class Results:
    """Everything a run found.

    Attributes
    ----------
    claims : list of summaries, in catalogue order
    proofs : what replay says of every claim with a proof, and of its steps
    records : list of records, in the order of the plan, but for the refused ones, which are
        counted in the summaries
    left_out : how many runs of a theory's whole plan the profile does not judge, if any
    irrational : how many values of a theory's parameters have no run, if any
    """

    claims: list[Record]
    records: list[Record]
    proofs: Record = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    irrational: dict[str, int] = field(default_factory=dict)


def run(
    entries: Sequence[Entry],
    settings: Settings,
    store: Store,
    progress: Progress = lambda message, done, total: None,
) -> Results:
    """Judge the encoded claims among ``entries``; records already in the store are kept.

    A claim that is both proved and violated stands as `conflict`, beside all others; see
    `refuse_conflicts`.

    Raises
    ------
    ConflictError
        If a proved step is broken on a run.
    """
    namespace(settings.device)  # a missing device is an error before any work
    entries = with_givens(entries)
    every = tuple(encoded(entry) for entry in entries if entry.module)
    claims = tuple(claim for claim in every if isinstance(claim, Claim))
    reported = (claim.experiment for claim in claims if claim.experiment is not None)
    others = [*(claim for claim in every if not isinstance(claim, Claim)), *reported]
    found: list[Record] = []
    suspects: Suspects = {}
    with store.writing():
        for key in _papers(entries):
            kept_later(store, key, settings.profile)
        plan = _plan(entries, claims, settings)
        parallel = settings.workers > 1 and len(plan) >= _SMALL_PLAN
        pools = partial(worker_pool, settings.workers, _files(entries)) if parallel else nullcontext
        with pools() as pool:
            settled = _settled_records(others, settings, store, pool)
            fresh = _all_records(claims, plan, settings, store, pool)
            # while processes judge, which wait for nothing of this
            progress("replaying proofs", 0, len(plan))
            replayed = prove([entry.id for entry in entries], partial(kept_steps, store))
            asked = {entry.id for entry in entries}
            own = [kept_displays(store, key, settings.profile, asked) for key in _papers(entries)]
            found.extend(settled)
            _collect(fresh, len(plan), found, suspects, progress)
        with pools() as pool:  # others, since exact numbers leave a process large
            each: Any = map if pool is None else pool.map
            progress("tightest instances", len(plan), len(plan))
            broken = {(x["claim"], x["reading"]) for x in found if x["verdict"] == Verdict.VIOLATED}
            wanted = _to_search(claims, replayed, broken, _BUDGET[settings.profile])
            leads = _leads(wanted, replayed, broken)
            for row in _searched_records(wanted, leads, settings, store, each):
                found.append(row)
                if row["verdict"] == Verdict.VIOLATED:
                    case = _of_file(row["best"]["data"])
                    if case is not None:
                        suspects.setdefault((row["claim"], row["reading"]), []).append(case)
            progress("smallest witnesses", len(plan), len(plan))
            arguments = (settings.seed, settings.device, store, each)
            found.extend(witness_records(claims, suspects, *arguments))
        store.pack()
    witnesses = {(row["claim"], row["reading"]): row for row in found if "instance" in row}
    by_claim: dict[str, list[Record]] = {entry.id: [] for entry in entries}
    for row in found:
        by_claim[row["claim"]].append(row)
    proofs = with_measurements(replayed, found, witnesses)
    shown = {claim: displays for every in own for claim, displays in every.items()}
    summaries = [
        summarise(entry, by_claim[entry.id], witnesses, proofs)
        | {"displays": shown.get(entry.id, [])}
        for entry in entries
    ]
    _add_forever(claims, summaries, settings)
    kept = [row for row in found if row["verdict"] not in REFUSED]
    return Results(
        summaries,
        kept,
        proof_rows(proofs, claims),
        _counted(entries, "left_out", settings.profile),
        _counted(entries, "irrational"),
    )


def _add_forever(claims: Sequence[Claim], summaries: Sequence[Record], settings: Settings) -> None:
    """Of each reading of a file's claims on how many planned runs all of it holds for ever."""
    told = {summary["id"]: summary for summary in summaries}
    for claim in claims:
        other = declared(claim.entry.paper)
        if other is None or other.forever is None:
            continue
        known = other.forever(settings.profile)
        for reading, row in zip(claim.readings, told[claim.id]["readings"], strict=True):
            every = [known[claim.id, part.name] for part in read(claim, reading)]
            if runs := len(frozenset.intersection(*every)):
                row["forever"] = runs


def _counted(entries: Sequence[Entry], name: str, *arguments: Any) -> dict[str, int]:
    """What contributions count under a name, where it is not 0."""
    asked = {key: getattr(contributed(key), name, None) for key in _papers(entries)}
    found = {key: count(*arguments) for key, count in asked.items() if count is not None}
    return {key: amount for key, amount in found.items() if amount}


def _files(entries: Sequence[Entry]) -> tuple[str, ...]:
    """The users' files of these entries, which every process loads."""
    others = [contributed(key) for key in _papers(entries)]
    return tuple(other.file for other in others if other is not None and other.file)


def _papers(entries: Sequence[Entry]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.paper for entry in entries))


def _collect(
    fresh: Iterator[tuple[Case, list[Record]]],
    total: int,
    found: list[Record],
    suspects: Suspects,
    progress: Progress,
) -> None:
    """Gather records, and the instances on which a reading looks broken."""
    for done, (instance, rows) in enumerate(fresh):
        progress(instance.name, done, total)
        for row in rows:
            found.append(row)
            if any(p["verdict"] == Verdict.VIOLATED or p["candidate"] for p in row["parts"]):
                suspects.setdefault((row["claim"], row["reading"]), []).append(instance)


def _of_file(data: Record) -> Case | None:
    """An instance that a search found; None if its replay costs too much for a file and a script:
    its record tells what is broken.
    """
    try:
        return from_data(data)
    except FedboundsError:
        return None


def _to_search(
    claims: tuple[Claim, ...], proofs: Proofs, broken: Collection[tuple[str, str]], budget: int
) -> list[tuple[Claim, dict[Reading, int]]]:
    """Every claim as printed; and more in every reading that is neither proved nor broken."""
    found = []
    for claim in claims if budget else ():
        own = {}
        most = budget if declared(claim.entry.paper) is None else budget // _OF_FILES
        for reading in claim.readings:
            if (claim.id, reading.name) not in broken and not proofs.proves(claim, reading):
                own[reading] = _UNPROVED * most
            elif reading is claim.readings[0]:
                own[reading] = most
        if own:
            found.append((claim, own))
    return found


def _leads(
    asked: Sequence[tuple[Claim, dict[Reading, int]]],
    proofs: Proofs,
    broken: Collection[tuple[str, str]],
) -> dict[str, tuple[Lead, ...]]:
    """By claim id, what breaks steps on which a reading rests that is neither proved nor broken."""
    found = {
        claim.id: tuple(dict.fromkeys(
            lead
            for reading in own
            if (claim.id, reading.name) not in broken and not proofs.proves(claim, reading)
            for lead in leads_of(proofs.steps.get(claim.entry.paper, ()), claim, reading)
        ))
        for claim, own in asked
    }  # fmt: skip
    return {name: leads for name, leads in found.items() if leads}


def _searched_records(
    asked: Sequence[tuple[Claim, dict[Reading, int]]],
    leads: Mapping[str, tuple[Lead, ...]],
    settings: Settings,
    store: Store,
    each: Any,
) -> Iterator[Record]:
    """The tightest instances that searches find, with so many evaluations."""
    work = {}
    for claim, budgets in asked:
        # readings are searched together: what is found for one rests on the others
        told = [(claim_text(claim, reading), budget) for reading, budget in budgets.items()]
        given = engine_of(claim.entry.paper), repr((told, leads.get(claim.id, ())))
        work[claim] = tuple(
            (one.name, record_key(*given, f"search {one.name}", settings.seed), budget)
            for one, budget in budgets.items()
        )
    missing = [x for x, own in work.items() if not all(store.knows(x.id, k) for _, k, _ in own)]
    jobs = [tuple((x.id, work[x]) for x in batch) for batch in _search_batches(missing, work)]
    own = [{x: leads[x] for x, _ in job if x in leads} for job in jobs]
    fresh = each(searched, jobs, [settings.seed] * len(jobs), own) if jobs else iter(())
    for job, rows in zip(jobs, fresh, strict=True):
        for (claim_id, readings), own_rows in zip(job, rows, strict=True):
            for (_, key, _), row in zip(readings, own_rows, strict=True):
                store.save_found(claim_id, key, row)
    for claim, readings in work.items():
        for _, key, _ in readings:
            row = store.found(claim.id, key)
            if row is not None:
                yield row


def _search_batches(
    claims: Sequence[Claim], work: Mapping[Claim, Sequence[tuple[str, str, int]]]
) -> list[tuple[Claim, ...]]:
    """Claims that look at the same set-ups together; batches that take longest first."""
    alike: dict[Any, list[Claim]] = {}
    for claim in claims:
        alike.setdefault((claim.entry.paper, places(claim)), []).append(claim)
    found: list[tuple[int, tuple[Claim, ...]]] = []
    for every in alike.values():
        batch, size = list[Claim](), 0
        for claim in every:
            own = sum(budget for _, _, budget in work[claim])
            if batch and size + own > _SEARCHED:
                found.append((size, tuple(batch)))
                batch, size = [], 0
            batch.append(claim)
            size += own
        found.append((size, tuple(batch)))
    return [batch for _, batch in sorted(found, key=lambda one: -one[0])]


def _plan(entries: Sequence[Entry], claims: tuple[Claim, ...], settings: Settings) -> list[Case]:
    """Instances that concern the claims.

    The plan is that of the whole papers, so that a claim gets the same evidence in every run.
    """
    wanted = frozenset(name for claim in claims for name in claim.algorithms)
    papers = dict.fromkeys(entry.paper for entry in entries)
    whole = tuple(claim for paper in papers for claim in encoded_claims(paper))
    planned = instances(whole, settings.profile, settings.seed, wanted)
    return [instance for instance in planned if concerned(claims, instance)]


def _all_records(
    claims: tuple[Claim, ...],
    plan: list[Case],
    settings: Settings,
    store: Store,
    pool: ProcessPoolExecutor | None,
) -> Iterator[tuple[Case, list[Record]]]:
    """Records of every instance in the order of the plan, from the store or judged and stored."""
    texts = {(c.id, r.name): claim_text(c, r) for c in claims for r in c.readings}
    ids = tuple(claim.id for claim in claims)
    keys = [_keys(claims, texts, instance, settings) for instance in plan]
    kept = [all(store.knows(claim, key) for claim, key in own) for own in keys]
    missing = [pair for *pair, known in zip(plan, keys, kept, strict=True) if not known]
    jobs = [
        (ids, part, settings.seed, settings.device, store.journal) for part in _batches(missing)
    ]
    threads = [settings.workers if pool is None else 1] * len(jobs)
    # processes start on all jobs at once; results come in the order of the plan
    each = map if pool is None else pool.map
    done = each(judged_records, jobs, threads)
    fresh = (rows for batch in done for rows in batch)

    def records() -> Iterator[tuple[Case, list[Record]]]:
        for instance, own, known in zip(plan, keys, kept, strict=True):
            if known:
                rows = [row for pair in own if (row := store.load(*pair)) is not None]
            else:
                rows = next(fresh)
                store.keep(rows)
            yield instance, rows

    return records()


def _batches(work: list[Any]) -> Iterator[tuple[Any, ...]]:
    for first in range(0, len(work), _BATCH):
        yield tuple(work[first : first + _BATCH])


def _keys(
    claims: tuple[Claim, ...],
    texts: dict[tuple[str, str], str],
    instance: Case,
    settings: Settings,
) -> list[tuple[str, str]]:
    """Of every claim and reading on an instance: the claim's id and the record's key."""
    own, given = fingerprint(instance), (settings.seed, settings.device)
    return [
        (
            claim.id,
            record_key(engine_of(claim.entry.paper), texts[claim.id, reading.name], own, *given),
        )
        for claim, reading in concerned(claims, instance)
    ]


def _settled_records(
    claims: Sequence[Any], settings: Settings, store: Store, pool: ProcessPoolExecutor | None
) -> Iterator[Record]:
    """Records of claims that need no plan of runs."""
    given = ("settled", settings.seed, settings.device)
    keys = [record_key(engine_of(c.entry.paper), repr(c), *given) for c in claims]
    kept = [_kept(c.entry.id, key, store) for c, key in zip(claims, keys, strict=True)]
    missing = [c.entry.id for c, rows in zip(claims, kept, strict=True) if rows is None]
    done = map(findings_of, missing) if pool is None else pool.map(findings_of, missing)

    def records() -> Iterator[Record]:
        for claim, key, rows in zip(claims, keys, kept, strict=True):
            yield from _saved(claim.entry.id, next(done), key, store) if rows is None else rows

    return records()


def _kept(claim_id: str, key: str, store: Store) -> list[Record] | None:
    """All records of a claim, or None if one is missing."""
    first = store.load(claim_id, f"{key}-0")
    numbers = range(first["of"] if first else 1)
    rows = [store.load(claim_id, f"{key}-{number}") for number in numbers]
    found = [row for row in rows if row is not None]
    if any(row["witness"] and not (store.folder / row["witness"]).is_file() for row in found):
        return None
    return found if len(found) == len(rows) else None


def _saved(claim_id: str, findings: list[Finding], key: str, store: Store) -> list[Record]:
    """Records of findings, written."""
    rows = []
    told: set[str] = set()
    for number, finding in enumerate(findings):
        row = as_record(claim_id, finding, f"{key}-{number}") | {"of": len(findings)}
        if finding.script and finding.reading not in told:  # one for each reading is enough
            told.add(finding.reading)
            name = witness_name(claim_id, f"finding {len(told)}")
            row["witness"] = store.save_witness(name, finding.script)
        rows.append(row)
    store.save(rows)
    return rows


def refuse_conflicts(claims: Sequence[Record]) -> None:
    """Name the claims of a run that stand as `conflict`; to be asked once all is shown.

    Raises
    ------
    ConflictError
        If a claim is both proved and violated.
    """
    found = [claim["id"] for claim in claims if claim["standing"] == Standing.CONFLICT]
    if found:
        verb = "are" if len(found) > 1 else "is"
        raise ConflictError(
            f"{', '.join(found)} {verb} both proved and violated: a bug of fedbounds; "
            "please report it"
        )
