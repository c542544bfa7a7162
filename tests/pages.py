"""A small results document, and reading the site made from one; for the tests of the page."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from html.parser import HTMLParser
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

from fedbounds.theory.proof.replay import Local
from fedbounds.theory.proof.status import Told, summed_up
from fedbounds.verify.judge.standing import REFUSED, standing, status_of
from fedbounds.verify.page.summary import anchor
from fedbounds.verify.page.written import site
from fedbounds.verify.results.records import SCHEMA, sealed
from fedbounds.vocabulary import ProofStatus, StatementStatus

FAILS = ("false", "does not follow")
VOID = {"meta", "br", "hr", "img", "input", "link"}
THEOREM, LEMMA, LIKE = "personalization/thm-3.7", "personalization/lem-A.2", "toy/claim-1"
SCRIPT = 'print("gap <negative>")\n'


class Reading:
    """What `status_of` needs of a reading."""

    def __init__(self, name, ambiguity=""):
        self.name, self.ambiguity = name, ambiguity


PRINTED, SUMMED = Reading("as printed"), Reading("G_v summed over clients", "amb-2")


def record(claim, reading, verdict, tightness=0.5, instance="quadratic 1", **more):
    part = {
        "part": "",
        "verdict": verdict,
        "reason": "",
        "round": None,
        "rounds": 1,
        "equal": 0,
        "idle": 0,
        "relation": "<=",
        "beats_trivial": None,
        "candidate": False,
        "replay": None,
        "left": tightness,
        "right": 1.0,
        "gap": 1.0 - tightness,
        "relative_gap": (1.0 - tightness) / (1.0 + tightness),
        "tightness": tightness,
    }
    return {
        "key": re.sub("[^a-zA-Z0-9]", "-", f"{claim} {reading.name} {instance} {verdict}"),
        "claim": claim,
        "reading": reading.name,
        "ambiguity": reading.ambiguity,
        "problem": {"family": "FederatedQuadratic", "instance": instance, "clients": 2},
        "algorithm": "FedAvg-P",
        "parameters": {"n": 2, "m": 1, "K": 1, "T": 3, "gamma": "1/32"},
        "constants": {"L": {"value": 1, "provenance": "exact", "side": "both"}},
        "evidence": {
            "method": "exact rationals",
            "level": None,
            "replicas": 0,
            "premise": "exact rational arithmetic",
            "replay": None,
        },
        "at": {"part": "", "round": None, "client": None, "step": None},
        "parts": [part],
        "slack": [],
        "witness": None,
        **{key: part[key] for key in ("verdict", "reason", "left", "right", "gap")},
        **{key: part[key] for key in ("relative_gap", "tightness")},
        **more,
    }


def claim(claim_id, standing, records, readings=(PRINTED,), **more):
    found = []
    for reading in readings:
        own = [row for row in records if row["reading"] == reading.name]
        refused = Counter(f"{r['verdict']}: {r['reason']}" for r in own if r["verdict"] in REFUSED)
        found.append(status_of(reading, own) | {"witness": None, "refused": dict(refused)})
    return {
        "id": claim_id,
        "kind": "inequality",
        "source": "verbatim",
        "place": f"place of {claim_id}",
        "text": f"text of {claim_id}",
        "paper_proof": "open",
        "severity": None,
        "displays": [],
        "standing": standing,
        "statement": found[0]["statement"] if found else "untested",
        "uninformative": None,
        "readings": found,
        "readings_differ": len({row["statement"] for row in found}) > 1,
        "reason": "" if found else "not encoded yet",
        **more,
    }


def gather(*groups):
    """A results document of (claim, its records)."""
    return {
        "schema": SCHEMA,
        "run": {
            "fedbounds": "0.1.0",
            "source": "0" * 64,
            "numpy": "2.1.0",
            "profile": "quick",
            "seed": 3,
            "device": "cpu",
            "timing": {"seconds": 1.5, "python": "3.11", "system": "Linux", "machine": "x86_64"},
        },
        "claims": {one["id"]: one for one, _ in groups},
        "results": [row for _, rows in groups for row in rows if row["verdict"] not in REFUSED],
        "proofs": {},
    }


def small_document():
    """A theorem refuted in an alternative reading, a refuted lemma, a quiet and an open claim."""
    slack = [
        {"name": "lem-3.1", "amount": 0.3, "share": 0.6},
        {"name": "lem-3.2 (v)", "amount": 0.2, "share": 0.4},
    ]
    premise = {"condition": "gamma <= 1/(32*K*L)", "left": "1/32", "right": "1/32"}
    theorem = [
        record(THEOREM, PRINTED, "not violated", slack=slack),
        record(THEOREM, PRINTED, "undecided", instance="cosine 1", reason="every term is zero"),
        record(THEOREM, PRINTED, "outside conditions", 0.1, reason="gamma <= 1/(32*K*L) fails"),
        record(THEOREM, SUMMED, "violated", 1.5, instance="quadratic 1"),
        record(
            THEOREM,
            SUMMED,
            "violated",
            1.75,
            instance="witness",
            left="7/4",
            right="1",
            gap="-3/4",
            witness="witnesses/thm.py",
            premises=[premise],
        ),
    ]
    lemma = [record(LEMMA, PRINTED, "violated", 1.25, instance="vectors 1")]
    quiet = [record(LIKE, PRINTED, "not violated", 0.25)]
    return gather(
        (claim(THEOREM, "tested", theorem, (PRINTED, SUMMED)), theorem),
        (claim(LIKE, "tested", quiet), quiet),
        (claim(LEMMA, "refuted", lemma, kind="identity", source="reconstructed"), lemma),
        (claim("toy/claim-2", "open", [], (), kind="scaling"), []),
        (claim("toy/def-1", None, [], (), kind="definition"), []),
    )


# ---- proofs


def step(name, local="proved", **more):
    """A row of a step, as `fedbounds.verify.judge.proofs.proof_rows` makes it."""
    return {
        "id": name,
        "claim": "",
        "part": "",
        "reading": "",
        "source": "paper",
        "place": "",
        "rule": "combine",
        "local": local,
        "inherited": local in ("proved", "given"),
        "reason": "" if local in ("proved", "given") else f"why {name} is not proved",
        "missing": [],
        "failed": [],
        "supposed": False,
        "givens": [],
        "left": r"\mathcal G_u^{t}",
        "relation": "<=",
        "right": r"\frac{L}{n}",
        "conditions": [],
        "assumptions": [],
        "chart": [],
        "by": [],
        "certificate": "combine" if local == "proved" else None,
        "numbers": None,
        "witness": None,
        "measured": None,
    } | more


def proof(status, *steps, **more):
    """The row of a claim's proof; of a paper's given statements, without a status."""
    headline = [s for s in steps if s["reading"] in ("", PRINTED.name) and s["source"] == "paper"]
    failed = [s["id"] for s in headline if s["local"] in ("false", "does not follow")]
    unsettled = [s["id"] for s in headline if s["local"] == "open"]
    row = {"status": status, "failed": failed, "open": unsettled, "ours": [], "givens": []}
    return row | {"steps": list(steps)} | more


def proved_document():
    """The small document with a proof that fails, one that rests on it, and a complete one."""
    numbers = {"K": "2", "au": "i=1, k=0: 3 + -3 xi[1,1]", "G_u(0)": "-1/2"}
    uses = [
        {"kind": "step", "name": "lem-A.2: line 2 at t = t - 1, summed over i", "times": ["((1) / (1))"]},
        {"kind": "fact", "name": "smooth(au, hu)", "times": ["((1/2*K_) / (1*L))"]},
        {"kind": "square", "name": "-2*au + hu", "times": ["((1) / (1))", "((3) / (1))"]},
    ]  # fmt: skip
    lemma = proof(
        "proved otherwise",
        step("lem-A.2: line 1"),
        step("lem-A.2: line 2", "open"),
        step(
            "lem-A.2: line 3",
            "does not follow",
            place="Section 9",
            numbers=numbers | {"left": "4", "right": "-3"},
        ),
        step("lem-A.2: line 3/corrected", source="ours", right=r"\frac{7 L}{n}"),
        step("lem-A.2: line 4", "false", witness="witnesses/thm.py"),
        step("lem-A.2", missing=["lem-A.2: line 2"], inherited=False, reading="as printed"),
    )
    theorem = proof(
        "gap",
        step(
            "thm-3.7",
            by=uses,
            chart=["K = 2 + K_"],
            missing=["lem-A.2: line 2"],
            inherited=False,
            reading="as printed",
            measured={"instances": 12, "least": -0.25},
        ),
        step("thm-3.7 [amb-2]", reading="G_v summed over clients"),
    )
    given = step("def G_u", "given", relation="==", certificate="given", place="Table 1")
    rows = {
        "personalization": {"status": None, "failed": [], "open": [], "steps": [given]},
        THEOREM: theorem,
        LEMMA: lemma,
        LIKE: proof("proved", step("claim-1", reading="as printed", relation=">=")),
    }
    return small_document() | {"proofs": rows}


def readable(document):
    """The document as a run would write it: each claim with the words that follow from the rest."""
    claims = {key: row for key, row in document["proofs"].items() if "/" in key}
    broken = {s["id"] for row in claims.values() for s in row["steps"] if s["local"] in FAILS}
    for key, row in claims.items():
        for one in row["steps"]:
            one["claim"] = key
        headline = ("", document["claims"][key]["readings"][0]["name"])
        own = [told(one) for one in row["steps"] if one["reading"] in headline]
        found = summed_up(own, [], broken)
        row |= {"status": found.status.value, "ours": list(found.ours)}
        row |= {"failed": list(found.failed), "open": list(found.open)}
    for row in document["results"]:
        decides = {name: row[name] for name in ("left", "right", "gap", "relative_gap")}
        row["parts"] = [part | decides for part in row["parts"]]
    for key, claim in document["claims"].items():
        claim.setdefault("uses", [])
        proof = document["proofs"].get(key, {"status": "open"})
        if claim["kind"] != "definition":
            axes = StatementStatus(claim["statement"]), ProofStatus(proof["status"])
            claim |= {"paper_proof": axes[1].value, "standing": standing(*axes).value}
        else:
            claim["statement"] = None
    return document


def told(one):
    names = ("id", "reading", "source", "missing", "failed", "givens")
    return Told(**{name: one[name] for name in names}, local=Local(one["local"]))


def write(document, folder):
    """The results file of a folder."""
    folder.mkdir(exist_ok=True)
    (folder / "results.json").write_text(sealed(document), encoding="utf-8")
    return folder


class Page(HTMLParser):
    """Elements in order, with their text; complains about tags that do not match."""

    def __init__(self, html):
        super().__init__()
        self.open, self.elements, self.wrong, self.pieces = [], [], [], []
        self.feed(html)
        self.close()
        self.wrong += [f"<{element['tag']}> left open" for element in self.open]

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "attributes": dict(attributes), "text": ""}
        element |= {"line": self.getpos(), "first": len(self.pieces)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1]["tag"] != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")
        else:
            element = self.open.pop()
            element["text"] = "".join(self.pieces[element["first"] :])

    def handle_data(self, data):
        self.pieces.append(data)

    def all(self, tag):
        return [element for element in self.elements if element["tag"] == tag]

    def one(self, name):
        (found,) = [e for e in self.elements if e["attributes"].get("id") == name]
        return found

    @property
    def text(self):
        return self.all("body")[0]["text"]


def index(document, folder=None):
    """The HTML of the index."""
    return site(document, folder)["index.html"]


def name_of(claim_id):
    """The file of a claim's page."""
    return f"claims/{anchor(claim_id)}.html"


def page_of(document, claim_id, folder=None):
    """The page of a claim."""
    return Page(site(document, folder)[name_of(claim_id)])


def html_files(files):
    """The pages of a site by their names."""
    return {name: text for name, text in files.items() if name.endswith(".html")}


def whole(files):
    """The HTML of a whole site, one page after the other."""
    return "\n".join(html_files(files).values())


def broken_links(files, beside=()):
    """Links of a site that lead to no file and no place on it; ``beside``: other files there."""
    pages = {name: Page(text) for name, text in html_files(files).items()}
    ids = {
        name: {e["attributes"]["id"] for e in page.elements if "id" in e["attributes"]}
        for name, page in pages.items()
    }
    found = []
    for name, page in pages.items():
        for element in page.elements:
            link = element["attributes"].get("href")
            if link is None:
                continue
            path, _, place = link.partition("#")
            target = normpath(join(dirname(name), unquote(path))) if path else name
            known = target in files or target in beside
            if not known or (place and place not in ids.get(target, ())):
                found.append((name, link))
    return found


def table_of_claims(html):
    """Cells of each row of the table of claims, by the row's heading."""
    table = html[html.index('<table class="sortable') :]
    body = table[table.index("<tbody>") : table.index("</tbody>") + len("</tbody>")]
    return {
        row.find("th").findtext("a"): ["".join(cell.itertext()) for cell in row.findall("td")]
        for row in ET.fromstring(body).findall("tr")
    }


def leads_elsewhere(link):
    """Whether a link leaves the folder of results: by a scheme, a host or a root."""
    parts = urlsplit(link)
    outside = normpath(join("claims", unquote(parts.path))).startswith(("..", "/"))
    return bool(parts.scheme or parts.netloc or outside or "\\" in link)


def loads_something(page):
    """Attributes and styles that would fetch anything but the style sheet beside the index."""
    found = []
    for element in page.elements:
        attributes = element["attributes"]
        sheet = attributes == {"rel": "stylesheet", "href": attributes.get("href")}
        if element["tag"] == "link":
            if not sheet or attributes["href"] not in ("page.css", "../page.css"):
                found.append(("link", attributes))
            continue
        for name, value in attributes.items():
            link = name in ("href", "xlink:href") and leads_elsewhere(value or "")
            if link or name in ("src", "srcset", "action", "data", "poster", "background"):
                found.append((element["tag"], name, value))
            if name == "style" or name.startswith("on"):
                found.append((element["tag"], name, value))
    return found + [element["text"] for element in page.all("style")]
