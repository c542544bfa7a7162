"""A site of a stranger's results: their text is shown as text, and none of it is run."""

import base64
import hashlib
import re
from functools import cache

import pytest
from pages import (
    LEMMA,
    THEOREM,
    Page,
    broken_links,
    html_files,
    loads_something,
    proved_document,
)

from fedbounds.errors import FedboundsError
from fedbounds.verify.page import written
from fedbounds.verify.page.plain import plain
from fedbounds.verify.page.written import site

CODE = "__import__('os').system('touch {}')"
AS_CALLS = ["{}", "D_W({})", "G_u(t + {})", "sq({})", "smooth(au, {})", "K == 2 + {}", "gamma <= {}",
            "f({}, k)", "Sum_t(G_u({}))", "({}) / (1)"]  # fmt: skip
HTML = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</code></pre><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    r"\lt script\gt alert(1)\lt /script\gt",
    r"\mathrm{<script>alert(1)</script>}",
    "<!--",
    "]]>",
    "{{ run.seed }}{% raw %}",
    "\x1b]0;title\x07",
    "\x00\x01",
]


@pytest.fixture(autouse=True, scope="module")
def _known_formulas():
    """Formulas are those of a claim's id, whatever else a document says: built once for each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(written, "formulas", cache(written.formulas))
        yield


def leaves(data, path=()):
    """Paths of all texts, and of all names of what is listed by name."""
    if isinstance(data, str):
        yield path
    elif isinstance(data, dict):
        for name, inner in data.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(data, list):
        for at, inner in enumerate(data):
            yield from leaves(inner, (*path, at))


def changed(data, path, text):
    """The data with another text at a path."""
    if not path:
        return text
    first, *rest = path
    if isinstance(data, list):
        return [changed(x, rest, text) if at == first else x for at, x in enumerate(data)]
    return {name: changed(x, rest, text) if name == first else x for name, x in data.items()}


def kinds_of_text(document):
    """Paths of each kind of text: the same field of another record is of the same kind."""
    found = {}
    for path in leaves(document):
        kind = tuple("*" if "/" in str(n) else str(n).strip("0123456789") for n in path)
        found.setdefault(kind, []).append(path)
    return list(found.values())


def shown(document, folder=None):
    """The pages; none where the document is refused."""
    try:
        return html_files(site(document, folder))
    except FedboundsError:
        return {}


def runs_something(files):
    """Elements and attributes that would run a script, or fetch or open something."""
    found = [link for link in broken_links(files, {"page.css", "claims.csv"})]
    for html in files.values():
        page = Page(html)
        found += [e["tag"] for e in page.elements if e["tag"] in ("img", "iframe", "object",
                                                                 "embed", "base", "form")]  # fmt: skip
        found += ["script"] * (len(page.all("script")) - 1)
        found += [e["attributes"] for e in page.elements if "formaction" in e["attributes"]]
        found += loads_something(page) + page.wrong
    return found


STEP_TEXTS = ("conditions", "chart", "assumptions", "missing", "failed", "id", "claim", "part",
              "reading", "place", "reason", "left", "right", "witness")  # fmt: skip


def full_of(text):
    """Every free text of a document is this one, at once."""
    document = proved_document()
    for row in document["proofs"].values():
        for step in row["steps"]:
            step |= {n: [text] if isinstance(step[n], list) else text for n in STEP_TEXTS[:4]}
            step |= {"reason": text, "place": text, "numbers": {text: text, "left": text}}
            step["by"] = [
                {"kind": kind, "name": text, "times": [text, text + "*2"]}
                for kind in ("step", "fact", "condition", "square", "hypothesis")
            ]
    for claim in document["claims"].values():
        claim |= {"text": text, "place": text, "reason": text}
    for row in document["results"]:
        row |= {"reason": text, "algorithm": text, "premises": [
            {"condition": text, "left": text, "right": text}
        ], "witness": text, "parameters": {text: text}}  # fmt: skip
        row["evidence"] |= {"premise": text}
    return document


@pytest.mark.parametrize("form", AS_CALLS)
def test_text_is_never_run(form, tmp_path):
    marker = tmp_path / "ran"
    text = form.format(CODE.format(marker))
    files = shown(full_of(text), tmp_path)
    assert not marker.exists()
    assert len(files) == 4
    assert all("touch" in html for html in files.values())
    assert runs_something(files) == []


def test_no_text_of_a_document_is_run_or_shown_as_html(tmp_path):
    """One kind of text after another, with code in one of its places and HTML in another."""
    marker = tmp_path / "ran"
    code = f"D_W({CODE.format(marker)})"
    for number, (first, *others) in enumerate(kinds_of_text(proved_document())):
        told = HTML[number % len(HTML)]
        alone = [changed(proved_document(), first, text) for text in (code, told)]
        pages = [shown(changed(alone[0], others[-1], told), tmp_path)] if others else []
        if not any(pages):  # one of the two texts may be refused
            pages = [shown(document, tmp_path) for document in alone]
        assert not marker.exists(), first
        for files in pages:
            assert runs_something(files) == [], (first, told)


@pytest.mark.parametrize("text", HTML)
def test_html_is_shown_as_text(text, tmp_path):
    files = shown(full_of(text), tmp_path)
    assert len(files) == 4
    assert runs_something(files) == []


@pytest.mark.parametrize("latex", [*HTML, r"\lt", r"\amp", "\ufffe", r"a \le b < c & d"])
def test_any_latex_has_a_text_for_the_terminal(latex):
    assert plain(latex).isprintable()


@pytest.mark.parametrize("latex", [*HTML, r"\lt", r"\amp", "{" * 5000, r"\bar" * 5000, "\ufffe"])
def test_any_latex_makes_a_page_or_one_line(latex):
    document = proved_document()
    for step in document["proofs"][LEMMA]["steps"]:
        step["left"] = latex
    assert runs_something(shown(document)) == []


@pytest.mark.parametrize("text", HTML)
def test_a_hostile_reading_or_id_is_text_on_both_kinds_of_page(text):
    """Planted: in a reading's name, in a claim's id and in what it rests on."""
    document = proved_document()
    name = f"toy/{text}"
    claim = document["claims"].pop("toy/claim-1")
    document["claims"][name] = claim | {"id": name, "uses": [LEMMA, text]}
    document["proofs"][name] = document["proofs"].pop("toy/claim-1")
    document["claims"][THEOREM]["readings"][1] |= {"name": text, "ambiguity": text}
    for row in document["results"]:
        row |= {"claim": name} if row["claim"] == "toy/claim-1" else {}
        row |= {"reading": text, "ambiguity": text} if row["ambiguity"] else {}
    files = shown(document)
    assert len(files) == 4
    assert runs_something(files) == []


def test_the_browser_runs_the_script_of_the_page_alone():
    for html in shown(proved_document()).values():
        (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
        told = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy = next(
            e["attributes"]["content"]
            for e in Page(html).all("meta")
            if e["attributes"].get("http-equiv") == "Content-Security-Policy"
        )
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        assert rules["script-src"] == f"'sha256-{told}'"
        assert rules["default-src"] == "'none'"
        assert set(rules) == {"default-src", "script-src", "style-src", "base-uri", "form-action"}


@pytest.mark.parametrize("path", ["../outside.py", "/etc/hostname", "witnesses/../../outside.py"])
def test_no_script_from_outside_the_folder_is_linked(path, tmp_path):
    (tmp_path / "outside.py").write_text("print('outside')")
    folder = tmp_path / "results"
    folder.mkdir()
    document = proved_document()
    for row in document["results"]:
        row["witness"] = path
    files = shown(document, folder)
    assert any(path in html for html in files.values())
    links = [a["attributes"]["href"] for html in files.values() for a in Page(html).all("a")]
    assert not [link for link in links if link.endswith(("outside.py", "hostname"))]


def test_a_command_of_the_page_is_one_command():
    document = proved_document()
    document["run"]["seed"] = "3; touch ran"
    document["claims"][THEOREM]["place"] = "my file; touch ran.py:12"
    for html in shown(document).values():
        assert "--seed &#39;3; touch ran&#39;" in html
