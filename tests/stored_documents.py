"""Instance files of every kind, as `search --replay` reads them: small, and judged in milliseconds."""

from fedbounds.theory.language.registry import encoded_claims
from fedbounds.verify.judge.plan import quick_cases
from fedbounds.verify.setups.instance_file import to_data
from fedbounds.vocabulary import Method

PAPERS = ("personalization", "fedplt", "submodel")
# the others have the same fields
VIEWS = (
    *("one step of one client", "rounds", "epochs", "recursion", "many rounds, steps that decay"),
    *("two data sets", "all data sets", "participants", "as epochs go on"),
    "Scaffold-P, rounds",
)


def planned():
    """The cheapest planned instance of every kind, by algorithm and set-up."""
    found = {}
    cases = quick_cases("personalization")
    choices = [case for case in cases if case.algorithm_name == "bound"]
    found |= {"sum": choices[0], "bound": choices[-1]}
    cases = [
        case for paper in PAPERS for case in quick_cases(paper) if case.method is Method.RATIONAL
    ]
    for case in sorted(cases, key=lambda case: case.work):
        kind = getattr(case.setup, "view", type(case.setup).__name__)
        if kind in VIEWS or not hasattr(case.setup, "view"):
            found.setdefault(f"{case.algorithm_name}, {kind}", case)
    return found


def documents():
    """Their files' data, by name, with a claim that speaks of them."""
    claims = [claim for paper in PAPERS for claim in encoded_claims(paper)]
    return {
        name: {
            "claim": next(c.id for c in claims if instance.algorithm_name in c.algorithms),
            "reading": "as printed",
            "part": "",
            "how": "search",
            "instance": to_data(instance),
        }
        for name, instance in planned().items()
    }
