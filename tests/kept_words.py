"""Kept values of earlier engines have assumptions by their names in code: the words' names."""

from collections.abc import Iterable

from fedbounds.facts import Fact
from fedbounds.theory.submodel import assumed

_NAMES = {str(fact): fact.name for fact in Fact} | {
    word: name for name, word in vars(assumed).items() if name.isupper()
}


def names(words: Iterable[str]) -> set[str]:
    """What kept data call them."""
    return {_NAMES[word] for word in words}
