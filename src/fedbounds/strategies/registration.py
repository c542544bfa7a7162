"""What hypothesis calls when it is imported: types of this package get their strategies.

It imports the problem families, but neither SymPy nor the verdicts. A strategy is made when
`from_type` first asks for it.
"""

from hypothesis import strategies as st

from fedbounds.problems import Bernoulli, Rolling

from .masks import mask_laws
from .participation import Participation, participation_laws
from .problems import OFFERS, problems


def _hypothesis_setup_hook() -> None:
    """Register every family of problems and every law."""
    for family in OFFERS:
        st.register_type_strategy(family, _problems_of)
    st.register_type_strategy(Participation, lambda _: participation_laws())
    st.register_type_strategy(Bernoulli, lambda _: mask_laws(kinds=("independent",)))
    st.register_type_strategy(Rolling, lambda _: mask_laws(kinds=("fixed", "windows")))


def _problems_of(family: type) -> st.SearchStrategy[object]:
    return problems(families=(family,), personal_dimension=(0, 1))
