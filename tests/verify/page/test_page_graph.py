"""The dependency graph: every claim once, nothing overlapping, arrows from what is used."""

import re
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import PRINTED, Page, claim, gather, index, loads_something, name_of, record

from fedbounds.errors import FedboundsError
from fedbounds.theory.language import catalogue
from fedbounds.theory.language.catalogue import paper
from fedbounds.verify.page.graph import graph as graph_of
from fedbounds.verify.page.layering import columns_of, crossings, layout, nearest_increasing
from fedbounds.verify.page.standings import MEANING, letter, slug
from fedbounds.verify.page.summary import in_order
from fedbounds.verify.page.written import site
from fedbounds.vocabulary import Standing

ENTRIES = paper("personalization").entries


def graph(document):
    return graph_of(in_order(document))


def a_claim(name, uses=None, standing="open", **more):
    found = claim(name, standing, [], (), **more)
    return found if uses is None else found | {"uses": uses}


def whole_paper():
    """The catalogue as a document; what rests on what comes from the catalogue."""
    words = [word.value for word in Standing]
    claims = [a_claim(e.id, standing=words[at % len(words)]) for at, e in enumerate(ENTRIES)]
    return gather(*((one, []) for one in claims))


@st.composite
def acyclic(draw):
    """A graph in which a node rests only on earlier ones, in any order of names."""
    size = draw(st.integers(1, 14))
    names = draw(st.permutations([f"toy/{at}" for at in range(size)]))
    return {
        name: draw(st.lists(st.sampled_from(names[:at]), unique=True, max_size=4)) if at else []
        for at, name in enumerate(names)
    }


def boxes(nodes):
    return {n.id: (n.x, n.y, n.x + n.width, n.y + n.height) for n in nodes}


def assert_apart(nodes):
    for (one, a), (two, b) in combinations(boxes(nodes).items(), 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert apart, (one, two)


def ends(path):
    numbers = [float(x) for x in re.findall(r"-?[0-9.]+", path)]
    return (numbers[0], numbers[1]), (numbers[-2], numbers[-1])


def assert_arrows(found):
    """Every edge leaves the right side of what is used and enters the left side of its user."""
    box = boxes(found.nodes)
    for edge in found.edges:
        (x, y), (to_x, to_y) = ends(edge.path)
        assert x == pytest.approx(box[edge.start][2], abs=0.2)
        assert to_x == pytest.approx(box[edge.end][0], abs=0.2)
        assert box[edge.start][1] < y < box[edge.start][3]
        assert box[edge.end][1] < to_y < box[edge.end][3]
        assert x < to_x


# ---- the layout


@given(acyclic())
def test_layout_of_any_graph(uses):
    document = gather(*((a_claim(name, premises), []) for name, premises in uses.items()))
    found = graph(document)
    linked = {name for name in uses if uses[name] or any(name in p for p in uses.values())}
    if not linked:
        assert found is None
        return
    assert sorted(node.id for node in found.nodes) == sorted(linked)
    assert {(e.start, e.end) for e in found.edges} == {
        (premise, user) for user in uses for premise in uses[user]
    }
    assert_apart(found.nodes)
    assert_arrows(found)
    for x0, y0, x1, y1 in boxes(found.nodes).values():
        assert x0 >= 0
        assert y0 >= 0
        assert x1 <= found.width
        assert y1 <= found.height


@given(acyclic())
def test_columns_are_longest_paths_and_what_rests_on_nothing_stands_by_its_first_user(uses):
    column = columns_of(uses)

    def depth(name):
        return 1 + max((depth(premise) for premise in uses[name]), default=-1)

    for name, premises in uses.items():
        users = [user for user in uses if name in uses[user]]
        if premises:
            assert column[name] == depth(name)
        elif users:
            assert column[name] == min(depth(user) for user in users) - 1
        assert all(column[premise] < column[name] for premise in premises)


@given(acyclic())
def test_edges_run_through_lanes_that_touch_no_node(uses):
    found = layout(uses)
    for items in found.columns:
        heights = [found.heights[item] for item in items]
        gaps = [b - a for a, b in pairwise(heights)]
        assert all(gap >= 9.99 for gap in gaps)
        for (one, two), gap in zip(pairwise(items), gaps, strict=True):
            nodes = sum(found.column[name] == at for name, at in (one, two))
            assert gap >= {0: 10, 1: 22, 2: 34}[nodes] - 0.01


def test_ordering_undoes_a_tangle():
    uses = {"a": [], "b": [], "c": [], "x": ["c"], "y": ["b"], "z": ["a"]}
    found = layout(uses)
    links = {link for route in found.routes.values() for link in pairwise(route)}
    assert crossings(found.columns, links) == 0
    assert crossings([[("a", 0), ("b", 0)], [("x", 1), ("y", 1)]], {
        (("a", 0), ("y", 1)), (("b", 0), ("x", 1)),
    }) == 1  # fmt: skip


@given(st.lists(st.floats(-100, 100), max_size=12))
def test_nearest_increasing_sequence(values):
    found = nearest_increasing(values)
    assert all(a <= b + 1e-9 for a, b in pairwise(found))
    assert sum(found) == pytest.approx(sum(values), abs=1e-6)
    if values == sorted(values):
        assert found == pytest.approx(values)


# ---- the graph of the paper


def test_every_claim_with_an_edge_is_drawn_once_and_nothing_overlaps():
    found = graph(whole_paper())
    used = {name for entry in ENTRIES for name in entry.uses}
    linked = [entry.id for entry in ENTRIES if entry.uses or entry.id in used]
    assert [node.id for node in found.nodes] == linked
    assert len(found.edges) == sum(len(entry.uses) for entry in ENTRIES)
    assert found.left_out == len(ENTRIES) - len(linked)
    assert_apart(found.nodes)
    assert_arrows(found)
    assert sum(count for *_, count in found.legend) == len(linked)
    assert {node.id: uses for node, _, uses in found.table} == {
        entry.id: entry.uses for entry in ENTRIES if entry.id in linked
    }


def test_nodes_are_links_that_say_id_kind_and_standing():
    document = whole_paper()
    page = Page(index(document))
    assert not page.wrong
    assert not loads_something(page)
    nodes = [a for a in page.all("a") if a["attributes"].get("class", "").startswith("node")]
    assert len(nodes) == len(graph(document).nodes)
    names = {e["attributes"]["id"] for e in page.elements if "id" in e["attributes"]}
    for node in nodes:
        told = node["attributes"]
        one = document["claims"][told["data-id"]]
        assert told["tabindex"] == "0"
        assert told["href"] == name_of(one["id"]) or told["href"][1:] in names
        word = one["standing"] or "not judged"
        assert told["aria-label"] == f"{one['id']}, {one['kind']}, {word}"
        assert letter(word) in node["text"]
        assert one["text"] in node["text"]  # its title
        assert slug(word) in told["class"].split()


def test_the_documents_edges_come_before_the_catalogues():
    document = gather(
        (a_claim("toy/a", []), []),
        (a_claim("toy/b", ["toy/a", "toy/elsewhere"]), []),
        (a_claim("toy/alone", []), []),
    )
    found = graph(document)
    assert [(e.start, e.end) for e in found.edges] == [("toy/a", "toy/b")]
    assert found.left_out == 1
    assert graph(gather((a_claim("toy/a", []), []))) is None
    assert 'id="graph"' not in index(gather((a_claim("toy/a", []), [])))
    theorem, step = "personalization/thm-3.7", "personalization/thm-3.7-desc"
    rows = [record(theorem, PRINTED, "not violated")]
    found = graph(gather((claim(theorem, "tested", rows), rows), (a_claim(step), [])))
    assert [(e.start, e.end) for e in found.edges] == [(step, theorem)]
    document["claims"]["toy/a"]["uses"] = ["toy/b"]
    with pytest.raises(FedboundsError):
        site(document)


def test_every_standing_has_a_meaning_a_letter_and_a_class_of_its_own():
    words = list(Standing)
    assert set(MEANING) == set(words)
    assert len({letter(word) for word in words}) == len(words)
    assert len({slug(word) for word in words}) == len(words)
    style = site(gather())["page.css"]
    for word in words:
        assert re.fullmatch("[a-z-]+", slug(word))
        assert word is Standing.OPEN or f".badge.{slug(word)}" in style


@pytest.mark.parametrize("standing", ["satisfiable", "reproduced", "not reproducible as stated"])
def test_a_claim_judged_as_a_whole_has_a_row_and_a_page(standing):
    files = site(gather((a_claim("toy/asm", standing=standing, kind="assumption"), [])))
    assert standing in Page(files["index.html"]).one("claims")["text"]
    assert "text of toy/asm" in Page(files[name_of("toy/asm")]).text


def test_each_paper_has_a_drawing_of_its_own_after_the_table_of_claims():
    document = gather(
        (a_claim("one/a", []), []), (a_claim("one/b", ["one/a"]), []),
        (a_claim("two/a", []), []), (a_claim("two/b", ["two/a"]), []), (a_claim("two/c", []), []),
    )  # fmt: skip
    page = Page(index(document))
    assert page.one("claims")["line"] < page.one("graph")["line"]
    nodes = [a["attributes"]["data-id"] for a in page.all("a") if "data-id" in a["attributes"]]
    assert nodes == ["one/a", "one/b", "two/a", "two/b"]
    assert "1 definitions, experiments and other claims without an arrow" in page.text


# ---- the catalogue


def catalogue_of(monkeypatch, folder, uses):
    """The catalogue of claims that rest on what is given, read as that of a paper is."""
    lines = ['[paper]\nkey = "p"\ntitle = "t"\nauthors = ["a"]']
    lines += [
        f'[[claim]]\nid = "{name}"\nkind = "identity"\nsource = "verbatim"\nplace = "x"\n'
        f'statement = "y"\nuses = {premises}'
        for name, premises in uses.items()
    ]
    (folder / "catalogue.toml").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(catalogue.resources, "files", lambda package: folder)
    return catalogue._of_the_package.__wrapped__("personalization")


def test_uses_are_read_from_the_catalogue(monkeypatch, tmp_path):
    found = catalogue_of(monkeypatch, tmp_path, {"p/a": [], "p/b": ["p/a"]})
    assert [entry.uses for entry in found.entries] == [(), ("p/a",)]


@pytest.mark.parametrize(
    ("uses", "said"),
    [
        ({"p/a": ["p/b"], "p/b": ["p/a"]}, "circle: p/[ab] -> p/[ab] -> p/[ab]"),
        ({"p/a": ["p/a"]}, "circle: p/a -> p/a"),
        ({"p/a": [], "p/b": ["p/aa"]}, "claim used by p/b 'p/aa'; the nearest are p/a"),
    ],
)
def test_a_claim_that_rests_on_itself_or_on_nothing_known_is_an_error(
    monkeypatch, tmp_path, uses, said
):
    with pytest.raises(FedboundsError, match=said):
        catalogue_of(monkeypatch, tmp_path, uses)


def test_the_theorems_rest_on_what_the_sheet_says():
    uses = {e.id.partition("/")[2]: [u.partition("/")[2] for u in e.uses] for e in ENTRIES}

    def ancestors(name):
        return {name}.union(*(ancestors(premise) for premise in uses[name]))

    assert {"lem-3.1", "lem-3.2", "lem-3.3", "lem-3.4", "lem-3.5", "asm-2.3", "lem-A.2"} <= (
        ancestors("thm-3.7")
    )
    assert not {"lem-3.4", "lem-4.1"} & ancestors("thm-3.11")
    assert {"lem-4.4", "lem-4.3", "lem-4.2", "lem-4.1", "lem-3.3", "eq-A.7"} <= ancestors("thm-4.5")
    assert not {"lem-3.4", "lem-3.5", "asm-2.3"} & ancestors("thm-4.5")
