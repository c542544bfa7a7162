"""Witness scripts of a result folder."""

from pathlib import Path

from fedbounds.errors import FedboundsError
from fedbounds.verify.results.files import inside

_LONGEST = 100_000  # bytes


def witness_script(folder: Path | None, path: str | None) -> str:
    """The text of a witness script inside the result folder; empty if it is not there."""
    if folder is None or not path:
        return ""
    try:
        file = inside(folder, path)
        short = file.is_file() and file.stat().st_size <= _LONGEST
        return file.read_text(encoding="utf-8") if short else ""
    except (FedboundsError, OSError, ValueError):  # it leads out, or is no text
        return ""
