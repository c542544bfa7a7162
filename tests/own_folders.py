"""Papers of the package as folders of a user's own: the same modules with another key."""

import re
import shutil
from pathlib import Path

from dummy_paper import FILES

import fedbounds

THEORIES = Path(fedbounds.__path__[0]) / "theory"


def paper_as_folder(paper, where):
    """A copy outside the package, with the key "own_PAPER"; its path as text."""
    folder = Path(where) / f"own_{paper}"
    shutil.copytree(THEORIES / paper, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in (*folder.rglob("*.py"), *folder.rglob("*.toml")):
        text = file.read_text("utf-8")
        up = "." * len(file.relative_to(folder).parts)
        text = re.sub(rf"from fedbounds\.theory\.{paper}\.", f"from {up}", text)
        text = re.sub(rf"from fedbounds\.theory\.{paper} import", f"from {up} import", text)
        file.write_text(re.sub(rf'"{paper}(["/])', rf'"own_{paper}\1', text), "utf-8")
    return str(folder)


def dummy_folder(where, name="dummy"):
    """The fourth paper with its algorithm, in a folder; its path as text."""
    folder = Path(where) / name
    for path, text in FILES.items():
        place = folder / path.removeprefix("theory/dummy/").replace("algorithms/", "")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.lstrip(), "utf-8")
    (folder / "dummy.py").rename(folder / "descent.py")
    views = folder / "views.py"
    text = views.read_text("utf-8").replace('algorithm="dummy.DESCENT"', "algorithm=DESCENT")
    text = text.replace("from .vectors", "from .descent import DESCENT\nfrom .vectors")
    views.write_text(text, "utf-8")
    return str(folder)
