"""A user's file for tests, whole or with one piece exchanged."""

import textwrap
from pathlib import Path

IMPORTS = "from fedbounds.own import Algorithm, cite, fact, objective, quadratic, quadratics\n"
IMPORTS += "from fedbounds.own import square, theory\n"
INIT = 'return {"x": start}'
DRAW = 'return {"present": random.participants(problem.clients, p["m"])}'
STEP = """
    y = problem.spread(state["x"])
    y = y - p["eta"] * problem.gradient(y)
    return {"x": problem.xp.sum(drawn["present"][:, :, None] * y, axis=1) / p["m"]}
"""
SMALL = "quadratics(clients=(1, 2), dimensions=(1,))"
PARAMETERS = '{"m": "1:n", "eta": ("1/(8*L)",)}'
CLAIM = 'me.claim("a", "D_W(t+1) <= 1000*D_W(t) + 1000")'


def own_text(
    *,
    before="",
    init=INIT,
    draw=DRAW,
    step=STEP,
    parameters=PARAMETERS,
    problems=SMALL,
    more="rounds=(1, 2), horizon=3",
    body=CLAIM,
    key="me",
):
    """A file that declares one theory; every piece is source text."""

    def function(head, inside):
        return f"def {head}:\n{textwrap.indent(textwrap.dedent(inside).strip(), '    ')}\n"

    return "".join(
        (
            IMPORTS,
            textwrap.dedent(before).strip() + "\n",
            function("init(problem, start)", init),
            function("draw(random, problem, p)", draw),
            function(f"step(problem, p, state, drawn{', see' if 'see' in step else ''})", step),
            f"{key} = theory('{key}', Algorithm(init, draw, step, 'own'), ",
            f"parameters={parameters}, problems={problems}, {more})\n",
            textwrap.dedent(body).strip() + "\n",
        )
    )


def own_file(folder, name="mine.py", **pieces):
    """Write such a file; its path as text."""
    path = Path(folder) / name
    path.write_text(own_text(**pieces), encoding="utf-8")
    return str(path)


def loaded(folder, **pieces):
    """The theory of such a file."""
    from fedbounds.verify.own.known import theory_of
    from fedbounds.verify.own.load import load

    (key,) = load(own_file(folder, **pieces))
    return theory_of(key)


def cases(theory, profile, seed):
    """The cases that judge a theory."""
    from fedbounds.verify.own.longer import Runs

    return Runs(theory).cases(profile, seed)


def judged(folder, **pieces):
    """Summaries of its claims by short name, on the quick plan, and no longer runs."""
    from fedbounds.theory.language.registry import encoded_claims
    from fedbounds.verify.decide.profile import Profile
    from fedbounds.verify.own.plan import chosen
    from fedbounds.verify.results.summaries import summaries

    theory = loaded(folder, **pieces)
    claims = encoded_claims(theory.key)
    found = summaries(claims, chosen(theory, Profile.QUICK))
    return {row["id"].partition("/")[2]: row for row in found}


def traced(setup):
    """What is traced of a set-up, and the view of it."""
    from fedbounds.verify.measure.trace import subject_of
    from fedbounds.verify.setups.found import view_of

    view = view_of(setup)
    return subject_of(setup.run, view), view


def asked_and_traced(setup, values):
    """What is traced of a set-up, and what is measured of it with these constants."""
    from fedbounds.verify.setups.standard import asked_of

    subject, view = traced(setup)
    return subject, asked_of(view, subject.problem, values)


def setup_on(theory, pair, values, rounds):
    """A set-up of a theory on a quadratic of one's own."""
    from fedbounds.theory.language.setups import Run, Setup
    from fedbounds.verify.own.view import RUNS, as_data

    problem, start = pair
    return Setup(theory.key, RUNS, Run(as_data(problem, 0), start.tolist(), values, rounds))


def parameters_of(case):
    """Parameters of a case by name, in rationals."""
    return dict(traced(case.setup)[0].values)
