"""The names of this paper: the shared ones, and its own."""

from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.language.symbols import SHARED

from .symbols import NAMES

GLOSSARY = (
    SHARED
    | NAMES
    | Glossary(indices={"k": "clients k, each with weight c_k", "s": "local steps s"})
)
