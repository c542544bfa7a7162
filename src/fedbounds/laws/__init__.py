"""Laws that federated algorithms obey, as assertions on anybody's code."""

from fedbounds.laws.base import Law, LawBroken, agree

__all__ = ["Law", "LawBroken", "agree"]
