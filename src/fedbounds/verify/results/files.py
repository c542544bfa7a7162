"""All files that the package writes, and the folder that a file must not lead out of.

A file is written whole or not at all, through links, with the rights that the umask leaves.
What is not a regular file (a device, a pipe) is written to and never replaced.
"""

import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from fedbounds.errors import FedboundsError

try:
    import fcntl
except ImportError:  # not on every system
    fcntl = None  # type: ignore[assignment]

RESULTS = "results.json"  # of a result folder
WITNESSES = "witnesses"  # likewise, with scripts
PART = ".part"  # how the name of a file ends that is not written whole yet


def keep_folder_clean() -> None:
    """Let hypothesis, which seeks witnesses, keep its cache out of the user's folder."""
    cache = str(Path(tempfile.gettempdir()) / "fedbounds-hypothesis")
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", cache)  # read when it is imported


def write_text(path: Path, text: str) -> None:
    """Write a file of text in UTF-8; see `write_bytes`."""
    with _told(path):
        data = text.encode("utf-8")
    write_bytes(path, data)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file.

    Raises
    ------
    FedboundsError
        If it cannot be written, or the disk is full. What was there before is then still there.
    """
    with _told(path):
        target = _target(path)
        if target is None:
            with path.open("wb") as file:
                file.write(data)
        else:
            _replace(target, data)


def append_bytes(path: Path, data: bytes) -> None:
    """Add to the end of a file, which is made if it is not there; not whole if interrupted.

    Raises
    ------
    FedboundsError
        If it cannot be written, or the disk is full.
    """
    with _told(path):
        _target(path)
        with path.open("ab", buffering=0) as file:
            while data:
                data = data[file.write(data) :]


def delete(path: Path) -> None:
    """Delete a file, if it is there.

    Raises
    ------
    FedboundsError
        If it cannot be deleted.
    """
    with _told(path):
        path.unlink(missing_ok=True)


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Whether nobody else holds the folder meanwhile; true where the system cannot tell.

    The lock ends with the process, however it ends.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield _lock(handle)
    finally:
        os.close(handle)


def _lock(handle: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def require_writable(path: Path) -> None:
    """Refuse a path to which no file can be written; to be asked before any work.

    Raises
    ------
    FedboundsError
        If it is a folder, a socket or write-protected, or its folder is missing or
        write-protected.
    """
    with _told(path):
        _target(path)


def make_folder(path: Path) -> None:
    """Make a folder and those above it, through links.

    Raises
    ------
    FedboundsError
        If it cannot be made, or not be written into.
    """
    require_folder(path)
    with _told(path):
        os.makedirs(os.path.realpath(path), exist_ok=True)


def require_folder(path: Path) -> None:
    """Refuse a path that is no folder to write into, and where none can be made.

    Raises
    ------
    FedboundsError
        If it, or the nearest folder above it that is there, is no folder or write-protected.
    """
    with _told(path):
        _require_printable(path)
        above = Path(os.path.realpath(path))
        while not os.path.lexists(above):
            above = above.parent
        _require_open(above, path)


def inside(folder: Path, name: str) -> Path:
    """The path of a file of a folder that may come from a stranger, to be read or written.

    Raises
    ------
    FedboundsError
        If the name, or a link, leads out of the folder.
    """
    root = os.path.realpath(folder)
    try:
        found = os.path.realpath(os.path.join(root, name))
    except ValueError:  # no name of a file
        found = ""
    if not Path(found).is_relative_to(root):
        raise FedboundsError(f"{name!r} leads out of {str(folder)!r}; expected a file inside it")
    return folder / name


def file_of(folder: Path, name: str) -> Path:
    """The path of a file that is to be written into a folder; to be asked before any work.

    Raises
    ------
    FedboundsError
        As `inside` and `require_writable`.
    """
    path = inside(folder, name)
    require_writable(path)
    return path


def _target(path: Path) -> Path | None:
    """Where a file is to be put; None for a device or a pipe, which is opened as it is."""
    _require_printable(path)
    try:
        found = os.stat(path)
    except FileNotFoundError:  # or a link to what is not there yet
        found = None
    target = Path(os.path.realpath(path))
    folder = target.parent if path.is_symlink() else path.parent  # as it was typed, to be shown
    if found is not None:
        if stat.S_ISDIR(found.st_mode):
            raise _refusal(path, "it is a folder; expected a file")
        if stat.S_ISSOCK(found.st_mode):
            raise _refusal(path, "it is a socket; expected a file")
        if not os.access(path, os.W_OK):
            raise _refusal(path, "it is write-protected")
        if not (stat.S_ISREG(found.st_mode) and target.exists()):
            return None
    _require_open(folder, path)
    return target


def _require_printable(path: Path) -> None:
    """Raise a ValueError for a name that is not UTF-8: no message could show it."""
    os.fsencode(path).decode("utf-8")


def _require_open(folder: Path, path: Path) -> None:
    """Raise unless files can be made in the folder, as ``path`` needs."""
    if not os.path.lexists(folder):
        raise _refusal(path, f"no folder {str(folder)!r}; expected one that exists")
    if not folder.is_dir():
        raise _refusal(path, f"{str(folder)!r} is no folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _refusal(path, f"the folder {str(folder)!r} is write-protected")


def _replace(target: Path, data: bytes) -> None:
    """Put a new file beside the target, then in its place; the rights of an old one are kept."""
    rights = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    part = target.with_name(f".{secrets.token_hex(8)}{PART}")
    try:
        with open(part, "xb", opener=partial(os.open, mode=rights or 0o666)) as file:
            file.write(data)
        if rights is not None:
            part.chmod(rights)
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _refusal(path: Path, why: str) -> FedboundsError:
    return FedboundsError(f"cannot write {str(path)!r}: {why}")


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Errors of the system, and names and texts that are not UTF-8, as one line."""
    try:
        yield
    except FedboundsError:
        raise
    except OSError as error:
        raise _refusal(path, str(error.strerror)) from error
    except ValueError as error:
        raise _refusal(path, str(error)) from error
