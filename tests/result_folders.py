"""What a run left in a result folder, and files of records as a stranger may edit them."""

import json
import zlib
from pathlib import Path

from fedbounds.verify.results.packs import packed, read
from fedbounds.verify.results.records import DIGEST
from fedbounds.verify.results.results_file import read_document


def document_of(folder):
    """The document of a folder with its records."""
    return read_document(Path(folder) / "results.json")


def files_of(folder):
    """The files of records in a folder."""
    return sorted((Path(folder) / "records").iterdir())


def stored(folder):
    """All records of a folder by key."""
    found = {}
    for path in files_of(folder):
        for block in read(path, whole=True):
            for row in block.get("records", ()):
                found[row["key"]] = row | block["setup"]
    return found


def lose(folder, *keys):
    """Take records out of their files, which stay as they are otherwise."""
    for path in files_of(folder):
        blocks = []
        for block in read(path, whole=True):
            if "records" in block:
                block["records"] = [row for row in block["records"] if row["key"] not in keys]
            blocks.append(block)
        path.write_bytes(packed(blocks))


def lines(path):
    """The blocks of a file as text."""
    return zlib.decompress(Path(path).read_bytes(), wbits=31).decode().splitlines()


def write_lines(path, texts):
    """A file of blocks from their text, whatever it says."""
    stream = zlib.compressobj(wbits=31)
    data = stream.compress("".join(f"{text}\n" for text in texts).encode())
    Path(path).write_bytes(data + stream.flush())


def unsealed(line):
    """A block without its digest."""
    return {name: value for name, value in json.loads(line).items() if name != DIGEST}


def witness_file(folder, path=None):
    """The one witness record of a folder, in a file of its own; returns its path."""
    (row,) = (row for row in document_of(folder)["results"] if "instance" in row)
    path = path or Path(folder) / "witness.json"
    path.write_text(json.dumps(row))
    return path
