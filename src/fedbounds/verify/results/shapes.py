"""The shape of everything that a run writes: records, and the document that gathers them.

What is written and what is read both fit it; a new field of a record needs a line here. The
published schema is made of it, see `schema`.
"""

from fedbounds.border import (
    anything,
    called,
    count,
    depending,
    fields,
    flag,
    listed,
    matching,
    named,
    number,
    optional,
    pair,
    real,
    text,
    text_or_real,
    word,
)
from fedbounds.theory.proof.replay import Local
from fedbounds.vocabulary import (
    Kind,
    Method,
    ProofStatus,
    Provenance,
    Relation,
    Severity,
    Side,
    Source,
    Standing,
    StatementStatus,
    Verdict,
)

from ..decide.profile import Profile
from ..measure.device import Device
from .records import DIGEST

_digest = matching("[0-9a-f]{64}", "a digest")
_key = matching("[A-Za-z0-9_-]+", "a name of a record")
_script = matching(r"witnesses/[^/\\\x00-\x1f\x7f]+\.py", "a script in the folder witnesses")
_texts = listed(text)
_reals = listed(optional(real))
_verdict = word(Verdict)
_counts = named(count, _verdict)
_sides = {"left": optional(number), "right": optional(number), "gap": optional(number)}
_sides |= {"relative_gap": optional(real), "tightness": optional(real)}

_ladder = fields(
    {
        "parameter": text,
        "values": listed(text_or_real),
        "series": named(_reals),
        "fit": optional(
            fields(
                {
                    "series": text,
                    "exponent": optional(real),
                    "low": optional(real),
                    "high": optional(real),
                    "symbolic": optional(text),
                }
            )
        ),
    }
)
_best = fields(
    {
        "tightness": optional(real),
        "relative_gap": optional(real),
        "parameters": named(number),
        "instance": text,
        "how": text,
        "part": text,
        "data": anything,
    }
)

_part = fields(
    {
        "part": text,
        "relation": word(Relation),
        "verdict": _verdict,
        "reason": text,
        "round": optional(count),
        "rounds": count,
        "equal": count,
        "idle": count,
        "beats_trivial": optional(flag),
        "candidate": flag,
        "replay": optional(text),
        **_sides,
    },
    {"unresolved": count, "since": optional(count)},
)
_always = {
    "key": _key,
    "claim": text,
    "reading": text,
    "ambiguity": text,
    "problem": fields(
        {"family": text, "instance": text, "clients": optional(count)},
        {
            "dimension": count,
            "shared_dimension": count,
            "personal_dimension": count,
            "noise": text,
            "noise_scale_u": optional(number),
            "noise_scale_v": optional(number),
        },
    ),
    "algorithm": text,
    "parameters": named(optional(number)),
    "constants": named(
        fields({"value": optional(number), "provenance": word(Provenance), "side": word(Side)})
    ),
    "verdict": _verdict,
    "evidence": fields(
        {
            "method": word(Method),
            "level": optional(real),
            "replicas": count,
            "premise": text,
            "replay": optional(text),
        }
    ),
    **_sides,
    "at": fields(
        {
            "part": text,
            "round": optional(count),
            "client": optional(count),
            "step": optional(count),
        }
    ),
    "reason": text,
    "parts": listed(_part),
    "slack": listed(fields({"name": text, "amount": real, "share": real})),
    "witness": optional(_script),
}
_algorithm = fields({"name": text, "algorithm": text, "parameters": named(text)})
_difference = fields(
    {
        "restriction": text,
        "general": _algorithm,
        "special": _algorithm,
        "problem": named(anything),
        "start": listed(number),
        "round": optional(count),
        "place": text,
        "values": pair(text),
        "where": text,
        "starts": listed(anything),
        "draws": listed(listed(anything)),
    }
)
_sometimes = {
    "of": count,
    "regime": text,
    "curve": fields(
        {"rounds": listed(real), "left": _reals, "right": _reals},
        {"mean": _reals, "low": _reals, "high": _reals},
    ),
    "ladder": _ladder,
    "comparison": fields(
        {
            "pair": text,
            "word": text,
            "region": text,
            "ray": anything,
            "points": listed(anything),
            "certificate": anything,
        }
    ),
    "difference": _difference,
    "best": _best,
    "instance": anything,
    "no_script": text,
    "premises": listed(fields({"condition": text, "left": text, "right": text})),
}
RECORD = fields(_always, _sometimes)

# Records on one set-up share what says which it is; a block of a file gives it once.
SETUP = ("problem", "algorithm", "parameters", "constants")
_own = {name: shape for name, shape in _always.items() if name not in SETUP}
# What else is kept by key: that nothing was searched, that a search found no instance, what was
# seen of the steps of proofs, what is shown beside claims, or what is known of longer runs.
_display = fields(
    {
        "algorithm": text,
        "problem": fields({"instance": text}),
        "verdict": text,
        "ladder": _ladder,
    }
)
_shown = fields({"displays": named(listed(_display))})
_seen = named(optional(fields({"instances": count, "least": real})))
_no_instance = fields(
    {name: _always[name] for name in ("key", "claim", "reading", "verdict", "reason", "parts")}
)
_later = fields(
    {"broken": listed(fields({"case": text, "rounds": count})), "forever": listed(listed(text))}
)
_answer = fields({"second": text, "coq": text})
_answers = fields({"accepted": named(_answer)})
_note = _seen
for _name, _shape in (
    ("verdict", _no_instance), ("forever", _later), ("displays", _shown), ("accepted", _answers)
):  # fmt: skip
    _note = depending(_name, _shape, _note)
BLOCK = depending(
    "notes",
    fields({DIGEST: _digest, "notes": named(optional(_note))}),
    fields(
        {
            DIGEST: _digest,
            "setup": fields({name: _always[name] for name in SETUP}),
            "records": listed(fields(_own, _sometimes)),
        }
    ),
)

_tightest = fields(
    {
        "key": _key,
        "part": text,
        "round": optional(count),
        "tightness": optional(real),
        "relative_gap": optional(real),
        "instance": text,
        "parameters": named(optional(number)),
        "how": text,
    }
)
_reading = fields(
    {
        "name": text,
        "ambiguity": text,
        "statement": word(StatementStatus),
        "untested": _texts,
        "open_candidates": count,
        "tightness": optional(real),
        "least_relative_gap": optional(real),
        "power": optional(real),
        "tightest": optional(_tightest),
        "idle": count,
        "equal_parts": _texts,
        "equal_everywhere": flag,
        "uninformative": optional(flag),
        "counts": _counts,
        "coverage": fields(
            {
                "instances": count,
                "methods": named(count, word(Method)),
                "ranges": named(pair(real)),
                "corners": _texts,
            }
        ),
        "refused": named(count),
        "witness": optional(_script),
    },
    {
        "unresolved": count,
        "unreached": _texts,
        "forever": count,
        "contradictions": _texts,
        "proof": word(ProofStatus),
        "standing": word(Standing),
    },
)
_claim = fields(
    {
        "id": text,
        "kind": word(Kind),
        "source": word(Source),
        "place": text,
        "text": text,
        "uses": _texts,
        "paper_proof": word(ProofStatus),
        "severity": optional(word(Severity)),
        "readings": listed(_reading),
        "standing": optional(word(Standing)),
        "statement": optional(word(StatementStatus)),
        "reason": text,
        "displays": listed(_display),
    },
    {"uninformative": optional(flag), "readings_differ": flag},
)

_step = fields(
    {
        "id": text,
        "claim": text,
        "part": text,
        "reading": text,
        "source": word(("paper", "ours")),
        "place": text,
        "rule": text,
        "local": word(Local),
        "inherited": flag,
        "reason": text,
        "missing": _texts,
        "failed": _texts,
        "supposed": flag,
        "givens": _texts,
        "left": text,
        "relation": word(("<=", ">=", "==")),
        "right": text,
        "conditions": _texts,
        "assumptions": _texts,
        "chart": _texts,
        "by": listed(fields({"kind": text, "name": text, "times": _texts})),
        "certificate": optional(text),
        "numbers": optional(named(text)),
        "witness": optional(_script),
        "measured": optional(fields({"instances": count, "least": optional(real)})),
    },
    {"accepted": _answer},
)
_proof = fields(
    {
        "status": optional(word(ProofStatus)),
        "failed": _texts,
        "open": _texts,
        "steps": listed(_step),
    },
    {"ours": _texts, "givens": _texts},
)
_run = fields(
    {
        "fedbounds": text,
        "source": _digest,
        "numpy": text,
        "profile": word(Profile),
        "seed": count,
        "device": word(Device),
        "timing": fields({"seconds": real, "python": text, "system": text, "machine": text}),
    },
    {"left_out": named(count), "irrational": named(count)},
)
_says = {
    "schema": count,
    DIGEST: _digest,
    "run": called("run", _run),
    "claims": named(called("claim", _claim)),
    "proofs": named(called("proof", _proof)),
}
# In a result folder the keys of the records, which are in files beside it; else the records.
DOCUMENT = depending(
    "records",
    fields({**_says, "records": listed(_key)}),
    fields({**_says, "results": listed(called("record", RECORD))}),
)
CALLED = {"run": _run, "claim": _claim, "proof": _proof, "record": RECORD, "block": BLOCK}
