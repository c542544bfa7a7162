"""Witness scripts of a result folder, which lie beside the page."""

from pathlib import Path
from urllib.parse import quote

from fedbounds.errors import FedboundsError
from fedbounds.verify.results.files import inside


def script_link(folder: Path | None, path: str | None) -> str:
    """Where a script lies, seen from the page of a claim; empty if it is not in the folder."""
    if folder is None or not path:
        return ""
    try:
        found = inside(folder, path).is_file()
    except (FedboundsError, OSError, ValueError):  # it leads out, or is no name of a file
        return ""
    return f"../{quote(path)}" if found else ""
