"""The site of a whole paper is made: of all claims, with what a run leaves beside its records."""

import pytest
from pages import Page, broken_links, name_of, whole

from fedbounds.theory.language.catalogue import PAPERS, select
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.standing import REFUSED
from fedbounds.verify.judge.summary import summarise
from fedbounds.verify.page.written import site
from fedbounds.verify.results.document import Timing, document
from fedbounds.verify.results.run import Results, Settings
from fedbounds.vocabulary import Kind

JUDGED = ("fedplt", "submodel")  # for other tests too


@pytest.mark.parametrize("paper", PAPERS)
def test_the_page_of_a_whole_paper_is_made(paper, quick_plan, quick_displays):
    shown = quick_displays(paper)
    rows = quick_plan(paper) if paper in JUDGED else ()
    entries = [entry for entry in select((paper,)) if entry.kind is not Kind.DEFINITION]
    own = {entry.id: [row for row in rows if row["claim"] == entry.id] for entry in entries}
    claims = [
        summarise(entry, own[entry.id], {}) | {"displays": shown.get(entry.id, [])}
        for entry in entries
    ]
    kept = [row for row in rows if row["verdict"] not in REFUSED]
    files = site(document(Results(claims, kept), Settings(Profile.QUICK), Timing(1.0)))
    assert broken_links(files) == []
    for name, ladders in shown.items():
        text = Page(files[name_of(name)]).text
        assert all(row["ladder"]["parameter"] in text for row in ladders)
    text = whole(files)
    assert all(entry.id in text for entry in entries if entry.module)
