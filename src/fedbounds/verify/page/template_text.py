"""Files of the folder of templates that are taken as they are."""

from functools import cache
from importlib import resources


@cache
def template_text(name: str) -> str:
    """The text of a file of that folder."""
    path = resources.files("fedbounds.verify.page") / "templates" / name
    return path.read_text(encoding="utf-8")
