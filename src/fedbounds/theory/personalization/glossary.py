"""The names of this paper: the shared ones."""

from fedbounds.theory.symbols import SHARED

GLOSSARY = SHARED
