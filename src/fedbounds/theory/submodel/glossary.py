"""The names of this paper: shared ones, and its own."""

from fedbounds.theory.language.symbols import SHARED

from . import symbols, symbols_rounds
from .proofs import symbols_proofs

GLOSSARY = SHARED | symbols.NAMES | symbols_rounds.NAMES | symbols_proofs.NAMES
