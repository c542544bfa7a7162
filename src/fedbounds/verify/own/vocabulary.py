"""Names that every file may use: the shared ones, and what no paper shares."""

from fedbounds.facts import Constant
from fedbounds.theory.language.glossary import Draft
from fedbounds.theory.language.symbols import SHARED

_draft = Draft()

mu_PL = _draft.symbol(
    Constant.PL, "Polyak-Lojasiewicz constant of f", r"\mu_{\mathrm{PL}}", positive=True
)

OWN = SHARED | _draft.closed()
