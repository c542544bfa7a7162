"""The pages as a real browser shows them: read, searched, folded, followed, printed, and heard."""

import re
import sys
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import browser as real
import pytest
from filelock import FileLock
from pages import LEMMA, proved_document

from fedbounds.verify.commands.command_line import status
from fedbounds.verify.page.written import write_site

pytestmark = pytest.mark.browser
REFUTED, MENDED, VOID, SCALED = CLAIMS = (
    "fedplt/jensen-distance",
    "fedplt/jensen-distance/corrected",
    "fedplt/A5",
    "fedplt/constant-step-floor",
)
LOOKS = [  # a width, light or dark, and what axe looks for there
    (1280, "light", ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]),
    (1280, "dark", ["color-contrast"]),
    (390, "light", ["scrollable-region-focusable", "target-size", "color-contrast"]),
]


def claim_page(site, claim):
    return site / "claims" / f"claim-{claim.replace('/', '-', 1).replace('/', '+')}.html"


@pytest.fixture(scope="module")
def judged(quick_plans_at):
    """The site of a few claims, judged once for all processes."""
    site = quick_plans_at / "site"
    quick_plans_at.mkdir(exist_ok=True)
    with FileLock(f"{site}.lock"), pytest.MonkeyPatch.context() as patch:
        patch.setattr("fedbounds.verify.results.run._SMALL_PLAN", sys.maxsize)  # one process
        if not (site / "index.html").exists():
            assert status(["verify", *CLAIMS, "--quick", "--out", str(site)]) == 0
    return site


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A site with every kind of step that fails, from numbers that nobody measured."""
    site = tmp_path_factory.mktemp("made")
    write_site(proved_document(), site)
    return site


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=real.path())
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium):
    """A wide window in the light; nothing is asked of another place, and nobody complains."""
    visit = real.opened(chromium, 1280, "light")
    yield visit
    visit.page.context.close()
    assert not visit.complaints
    assert {urlsplit(url).scheme for url in visit.requests} <= {"file"}


def html_of(*sites):
    return [path for site in sites for path in (site / "index.html", *site.glob("claims/*.html"))]


def shown(page):
    return page.locator("#table-of-claims tbody tr:visible").count()


def test_the_search_is_reached_by_keys_filters_and_tells(visit, judged):
    page = visit.to(judged / "index.html", "#claims")
    for _ in range(9):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "search":
            break
    page.keyboard.type("jensen REFUTED")
    assert shown(page) == 1
    told = page.get_by_role("status")
    assert told.inner_text() == f"1 of {len(CLAIMS)} claims"
    page.keyboard.press("Control+A")
    page.keyboard.type("no such claim")
    assert shown(page) == 0
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    assert (shown(page), told.inner_text()) == (len(CLAIMS), "")


def test_the_table_is_sorted_by_keys_and_says_how(visit, judged):
    page = visit.to(judged / "index.html")
    first = page.locator("#table-of-claims tbody th").first
    button = page.get_by_role("button", name="claim", exact=True)
    for order, name in (("ascending", "A5"), ("descending", "jensen-distance/corrected")):
        button.press("Enter")
        assert first.inner_text() == name
        assert button.locator("xpath=..").get_attribute("aria-sort") == order


def test_what_is_folded_opens_and_closes_by_keys(visit, judged, made):
    for path in (made / "index.html", claim_page(made, LEMMA), claim_page(judged, REFUTED)):
        page = visit.to(path)
        for fold in page.locator("details").all():
            summary = fold.locator("> summary")
            if summary.is_visible():  # not inside of a folded one
                was = fold.evaluate("fold => fold.open")
                for is_open in (not was, was):
                    summary.press("Enter")
                    assert fold.evaluate("fold => fold.open") is is_open, summary.inner_text()


def test_a_link_into_what_is_folded_opens_it(visit, made):
    page = visit.to(made / "index.html")
    folded = page.locator("details.unjudged [id]").first.get_attribute("id")
    page.evaluate("name => location.hash = name", folded)
    page.wait_for_function("name => document.getElementById(name).offsetHeight", arg=folded)
    assert page.locator(f"[id='{folded}']").is_visible()


def test_every_link_leads_to_a_file_and_a_place(visit, judged, made):
    links, places = {}, {}
    for path in html_of(judged, made):
        page = visit.to(path)
        links[path] = page.evaluate(
            "[...document.querySelectorAll('a')].map(a => a.href.baseVal === undefined"
            " ? a.href : new URL(a.href.baseVal, document.baseURI).href)"
        )
        places[path] = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert sum(map(len, links.values())) > 60
    for path, own in links.items():
        for link in own:
            parts = urlsplit(link)
            target = type(path)(url2pathname(parts.path))
            assert target.is_file(), (path.name, link)
            if parts.fragment:
                assert unquote(parts.fragment) in places[target], (path.name, link)


def found_by_axe(page, rules):
    """What axe finds: contrast, landmarks, headings, names of controls, reach by the keyboard."""
    from axe_playwright_python.sync_playwright import Axe

    # without preload, which would ask for the style sheet again, as the page forbids
    options = {"preload": False, "runOnly": rules, "resultTypes": ["violations"]}
    found = Axe().run(page, options=options).response["violations"]
    return [(one["id"], [node["target"] for node in one["nodes"][:3]]) for one in found]


@pytest.mark.parametrize(
    ("width", "scheme", "rules"), LOOKS, ids=lambda x: None if isinstance(x, list) else x
)
def test_nothing_is_hard_to_read_or_without_a_name(chromium, judged, made, width, scheme, rules):
    visit = real.opened(chromium, width, scheme)
    for path in (*html_of(made), claim_page(judged, REFUTED)):
        page = visit.to(path)
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        assert not found_by_axe(page, rules), path.name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path.name
        assert page.get_by_role("heading", level=1).count() == 1
        assert page.get_by_role("main").count() == page.get_by_role("banner").count() == 1
    visit.page.context.close()


def test_landmarks_of_many_figures_are_told_apart(visit, judged):
    page = visit.to(claim_page(judged, SCALED))
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert not found_by_axe(page, ["landmark-unique", "heading-order", "svg-img-alt"])


def test_what_is_hard_to_read_is_found(visit, judged):
    """Planted: soft text a shade too soft, of less than 4.5 to 1."""
    page = visit.to(judged / "index.html")
    page.evaluate("document.documentElement.style.setProperty('--soft', '#8a8d90')")
    ((rule, places),) = found_by_axe(page, ["color-contrast"])
    assert (rule, len(places)) == ("color-contrast", 3)


@pytest.mark.parametrize("claim", CLAIMS)
def test_on_a_phone_the_standing_is_in_sight(chromium, judged, claim):
    visit = real.opened(chromium, 390, "light")
    page = visit.to(claim_page(judged, claim))
    box = page.locator(".verdict .badge").bounding_box()
    assert box["y"] + box["height"] < 844 / 2
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    visit.page.context.close()


def test_a_finding_says_what_fails_and_what_holds_instead(visit, judged):
    page = visit.to(claim_page(judged, REFUTED))
    told = page.get_by_role("banner").inner_text()
    assert "refuted: 2 > 1.995 at n=2, T=2" in told
    assert "instead: jensen-distance/corrected is proved otherwise" in told


def test_the_page_is_dark_where_the_reader_wants_it(visit, judged):
    page = visit.to(claim_page(judged, REFUTED))
    behind = "getComputedStyle(document.body).backgroundColor"
    seen = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        seen.append(sum(map(int, re.findall(r"\d+", page.evaluate(behind)))))
    assert seen[0] > 600 > 150 > seen[1]


@pytest.mark.parametrize("sheet", ["A4", "Letter"])
def test_a_claim_prints_on_one_or_two_sheets(visit, judged, sheet):
    for claim in CLAIMS:
        page = visit.to(claim_page(judged, claim))
        margin = dict.fromkeys(("top", "right", "bottom", "left"), "0.4in")  # as browsers have it
        printed = page.pdf(format=sheet, margin=margin)
        assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 2, claim
