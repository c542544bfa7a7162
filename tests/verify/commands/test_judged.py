"""What is judged from Python is shown as a table: all parts, what is broken first."""

import fedbounds as fb


def test_a_notebook_shows_what_is_broken_first(tmp_path):
    from own_files import loaded

    from fedbounds.verify.decide.profile import Profile
    from fedbounds.verify.own.plan import cases

    body = 'me.claim("holds", "D_W(t) >= 0 - 1")\nme.claim("fails", "D_W(0) <= D_W(0)/2 - 1")'
    theory = loaded(tmp_path, body=body)
    case = next(cases(theory, Profile.QUICK, 0))
    claims = [one.claim for one in theory.statements]
    every = fb.judge(claims, case)._repr_html_()
    assert every.startswith("<table>")
    assert 0 < every.index("me/fails") < every.index("me/holds")
    assert every.count("<tr>") == 3
    alone = fb.check(claims[1], case)
    assert alone.verdict.value == "violated"
    shown = alone._repr_html_()
    assert "<td>violated</td>" in shown
    assert f"<td>{alone.deciding.gap}</td>" in shown
