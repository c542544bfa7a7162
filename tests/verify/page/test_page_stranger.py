"""A page of a stranger's results: their text is shown as text, and none of it is run."""

import base64
import hashlib
import re
from functools import cache

import pytest
from pages import LEMMA, THEOREM, Page, proved_document

from fedbounds.errors import FedboundsError
from fedbounds.verify.page import written
from fedbounds.verify.page.plain import plain
from fedbounds.verify.page.written import render

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
    """The page; empty where the document is refused."""
    try:
        return render(document, folder)
    except FedboundsError:
        return ""


def runs_something(html):
    """Elements and attributes that would run a script, or fetch or open something."""
    page = Page(html)
    found = [e["tag"] for e in page.elements if e["tag"] in ("img", "iframe", "object", "embed",
                                                             "base", "form", "link")]  # fmt: skip
    found += ["script"] * (len(page.all("script")) - 1)
    for element in page.elements:
        for name, value in element["attributes"].items():
            if name.startswith("on") or name in ("style", "src", "srcset", "action", "formaction"):
                found.append((name, value))
            if name in ("href", "xlink:href") and not re.match(
                r"#|data:(application/json|application/gzip|text/csv|text/x-python);base64,", value
            ):
                found.append((name, value))
    return found + page.wrong


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
    html = shown(full_of(text), tmp_path)
    assert not marker.exists()
    assert "touch" in html
    assert runs_something(html) == []


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
        for html in pages:
            assert not html or runs_something(html) == [], (first, told)


@pytest.mark.parametrize("text", HTML)
def test_html_is_shown_as_text(text, tmp_path):
    html = shown(full_of(text), tmp_path)
    assert html
    assert runs_something(html) == []


@pytest.mark.parametrize("latex", [*HTML, r"\lt", r"\amp", "\ufffe", r"a \le b < c & d"])
def test_any_latex_has_a_text_for_the_terminal(latex):
    assert plain(latex).isprintable()


@pytest.mark.parametrize("latex", [*HTML, r"\lt", r"\amp", "{" * 5000, r"\bar" * 5000, "\ufffe"])
def test_any_latex_makes_a_page_or_one_line(latex):
    document = proved_document()
    for step in document["proofs"][LEMMA]["steps"]:
        step["left"] = latex
    html = shown(document)
    assert not html or runs_something(html) == []


def test_the_browser_runs_the_script_of_the_page_alone():
    html = render(proved_document())
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    told = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(
        e["attributes"]["content"]
        for e in Page(html).all("meta")
        if e["attributes"].get("http-equiv") == "Content-Security-Policy"
    )
    assert f"script-src 'sha256-{told}';" in policy
    assert "default-src 'none'" in policy


@pytest.mark.parametrize("path", ["../outside.py", "/etc/hostname", "witnesses/../../outside.py"])
def test_no_script_from_outside_the_folder_is_shown(path, tmp_path):
    (tmp_path / "outside.py").write_text("print('outside')")
    folder = tmp_path / "results"
    folder.mkdir()
    document = proved_document()
    for row in document["results"]:
        row["witness"] = path
    assert "print(&#39;outside" not in shown(document, folder)


def test_a_command_of_the_page_is_one_command():
    document = proved_document()
    document["run"]["seed"] = "3; touch ran"
    document["claims"][THEOREM]["place"] = "my file; touch ran.py:12"
    html = shown(document)
    assert not html or "--seed &#39;3; touch ran&#39;" in html
