"""What ``report`` writes beside the pages for authors and reviewers: an archive, and marks."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..results.files import write_bytes


@dataclass(frozen=True)
class Made:
    """A file to be written, and what is said of it."""

    path: Path
    data: bytes
    told: str


def made(
    document: dict[str, Any], folder: Path, zip_file: Path | None, tex_file: Path | None
) -> list[Made]:
    """All that is asked for, before anything is written."""
    found = []
    if zip_file is not None:
        from ..page.exports.artifact import artifact
        from ..page.exports.artifact.archive import archive

        files = artifact(document, folder)
        found.append(Made(zip_file, archive(files), f"artifact: {zip_file}"))
    if tex_file is not None:
        from ..page.exports.latex_marks import latex_marks

        found.append(Made(tex_file, latex_marks(document).encode(), f"marks: {tex_file}"))
    return found


def write_made(files: list[Made]) -> None:
    """Write them, and tell where."""
    for one in files:
        write_bytes(one.path, one.data)
        click.echo(one.told)
