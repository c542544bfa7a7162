"""Witness scripts of a result folder."""

from pathlib import Path

_LONGEST = 100_000  # bytes


def witness_script(folder: Path | None, path: str | None) -> str:
    """The text of a witness script inside the result folder; empty if it is not there."""
    if folder is None or not path:
        return ""
    root = folder.resolve()
    try:
        file = (root / path).resolve()
        inside = file.is_relative_to(root) and file.stat().st_size <= _LONGEST
        return file.read_text(encoding="utf-8") if inside else ""
    except (OSError, ValueError):  # no such file, no text, or no path
        return ""
