"""The names of this paper: shared ones, and its own."""

from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.language.symbols import SHARED

from . import symbols, symbols_rounds
from .proofs import symbols_proofs

_INDICES = Glossary(indices={"s": "rounds s of an epoch"})
GLOSSARY = SHARED | symbols.NAMES | symbols_rounds.NAMES | symbols_proofs.NAMES | _INDICES
