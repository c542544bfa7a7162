"""Files as one archive that is the same bytes wherever and whenever it is made."""

import hashlib
from collections.abc import Mapping
from io import BytesIO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

FOLDER = "fedbounds-artifact"  # into which it unpacks, whatever the archive is called
SUMS = "SHA256SUMS"
_WHEN = (1980, 1, 1, 0, 0, 0)  # the first that an archive can tell
_UNIX, _RIGHTS = 3, 0o100644


def archive(files: Mapping[str, bytes]) -> bytes:
    """A ZIP archive of these files by their names, and of their hashes.

    Nothing is compressed: the bytes of a compressed file depend on the version of its library.
    """
    every = {**files, SUMS: _sums(files)}
    found = BytesIO()
    with ZipFile(found, "w", ZIP_STORED) as target:
        for name in sorted(every):
            info = ZipInfo(f"{FOLDER}/{name}", _WHEN)
            info.create_system = _UNIX
            info.external_attr = _RIGHTS << 16
            target.writestr(info, every[name])
    return found.getvalue()


def _sums(files: Mapping[str, bytes]) -> bytes:
    """What ``sha256sum -c`` reads."""
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return "".join(lines).encode()
