"""Files are written whole or not at all, through links, and never in place of a device."""

import ast
import os
import socket
import stat
import threading
from pathlib import Path

import pytest

import fedbounds
from fedbounds.errors import FedboundsError
from fedbounds.verify.results.files import (
    append_bytes,
    delete,
    file_of,
    inside,
    locked,
    make_folder,
    require_folder,
    require_writable,
    write_bytes,
    write_text,
)

PACKAGE = Path(fedbounds.__path__[0])
FULL = Path("/dev/full")


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o022, 0o077, 0o002, 0o000])
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


# ---- regular files


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "x.json"
    write_text(path, "old")

    def no_room(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", no_room)
    with pytest.raises(FedboundsError, match=r"x\.json.*No space"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"]


def test_bytes_are_added_to_the_end_of_a_file_that_is_made(tmp_path, umask):
    path, other = tmp_path / "x", tmp_path / "other"
    append_bytes(path, b"one")
    append_bytes(path, b"two")
    other.touch()
    assert path.read_bytes() == b"onetwo"
    assert rights(path) == rights(other)


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_what_cannot_be_added_to_is_named(tmp_path):
    with pytest.raises(FedboundsError, match=r"/dev/full.*No space"):
        append_bytes(FULL, b"x")
    with pytest.raises(FedboundsError, match=r"no folder .*nothing"):
        append_bytes(tmp_path / "nothing" / "x", b"x")
    with pytest.raises(FedboundsError, match="it is a folder"):
        append_bytes(tmp_path, b"x")


def test_a_file_is_deleted_if_it_is_there(tmp_path):
    path = tmp_path / "x"
    path.touch()
    for _ in range(2):
        delete(path)
        assert not path.exists()
    with pytest.raises(FedboundsError, match="cannot write"):
        delete(tmp_path)


def test_a_folder_is_held_by_one_at_a_time(tmp_path):
    with locked(tmp_path) as first, locked(tmp_path) as second:
        assert (first, second) == (True, False)
    with locked(tmp_path) as again:
        assert again
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_has_the_rights_of_every_other(tmp_path, umask):
    path, other = tmp_path / "x.json", tmp_path / "other"
    write_text(path, "{}")
    other.touch()
    assert rights(path) == rights(other) == 0o666 & ~umask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_an_old_file_keeps_its_rights(tmp_path, umask, mode):
    path = tmp_path / "x.json"
    write_text(path, "old")
    path.chmod(mode)
    write_text(path, "new")
    assert path.read_text() == "new"
    assert rights(path) == mode


def test_text_that_is_no_unicode_is_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(FedboundsError, match=r"cannot write .*x\.json.*surrogates"):
        write_text(tmp_path / "x.json", "\ud800")
    assert list(tmp_path.iterdir()) == []


# ---- links


def test_the_target_of_a_link_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    target, link, second = folder / "target", tmp_path / "link", tmp_path / "second"
    link.symlink_to("elsewhere/target")
    second.symlink_to(link)
    for path, text in ((link, "a link to nothing"), (link, "again"), (second, "through two")):
        write_text(path, text)
        assert link.is_symlink()
        assert second.is_symlink()
        assert target.read_text() == text
    monkeypatch.setattr(os, "replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_text(second, "interrupted")
    assert target.read_text() == "through two"
    assert [p.name for p in folder.iterdir()] == ["target"]


def test_a_folder_behind_a_link_is_made_and_written_into(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("there")
    make_folder(link / "deep")
    write_text(link / "deep" / "x", "text")
    assert (tmp_path / "there" / "deep" / "x").read_text() == "text"


# ---- what is no regular file


@pytest.mark.skipif(not FULL.exists(), reason="a device of Linux")
def test_a_full_device_is_told_and_stays_a_device(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(FULL)
    for path in (FULL, link):
        with pytest.raises(FedboundsError, match="No space left on device"):
            write_text(path, "text")
    assert stat.S_ISCHR(FULL.stat().st_mode)
    assert link.is_symlink()


def test_a_device_takes_what_is_written(tmp_path):
    write_text(Path(os.devnull), "text")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_pipe_takes_what_is_written(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_bytes(pipe, b"bytes")
    reader.join()
    assert read == [b"bytes"]
    assert pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="files by their number")
def test_an_open_pipe_is_written_by_its_number():
    """As a shell gives one: --csv >(gzip > x.gz)."""
    out, into = os.pipe()
    write_text(Path(f"/dev/fd/{into}"), "text")
    os.close(into)
    with os.fdopen(out) as file:
        assert file.read() == "text"


# ---- refused before any work


def bad_files(folder):
    """Paths that no file can be written to, and a word of the reason."""
    (folder / "file").write_text("old")
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "to-folder").symlink_to("folder")
    (folder / "to-missing").symlink_to("missing/x")
    return (
        ("folder", "it is a folder"),
        ("to-folder", "it is a folder"),
        ("", "it is a folder"),
        ("missing/x", "no folder"),
        ("to-missing", "no folder"),
        ("file/x", "Not a directory"),
        ("loop", "symbolic links"),
        ("x" * 300, "too long"),
        ("a\0b", "null byte"),
        ("\udcff", "utf-8"),
        ("\ud800", "utf-8"),
    )


def test_what_cannot_be_written_is_refused_by_the_check_and_by_the_write(tmp_path):
    for name, why in bad_files(tmp_path):
        for refused in (require_writable, lambda path: write_text(path, "text")):
            with pytest.raises(FedboundsError, match=f"cannot write .*{why}") as told:
                refused(tmp_path / name)
            assert "\n" not in str(told.value)
    assert (tmp_path / "file").read_text() == "old"
    assert not list(tmp_path.rglob("*.part"))


def test_the_check_writes_nothing(tmp_path):
    require_writable(tmp_path / "new")
    require_folder(tmp_path / "new" / "deep")
    assert list(tmp_path.iterdir()) == []


def test_a_socket_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        with pytest.raises(FedboundsError, match="it is a socket"):
            require_writable(Path("s"))


def test_what_is_write_protected_is_refused(tmp_path, monkeypatch):
    """Asked of the system: the user who runs the tests may be allowed everything."""
    path = tmp_path / "x"
    path.write_text("old")
    for closed in (path, tmp_path):
        monkeypatch.setattr(os, "access", lambda asked, _, no=closed: Path(asked) != no)
        with pytest.raises(FedboundsError, match="write-protected"):
            require_writable(path)
    with pytest.raises(FedboundsError, match="write-protected"):
        require_folder(tmp_path / "new" / "deep")


@pytest.mark.parametrize("name", ["file", "file/x", "to-file", "loop", "loop/x", "a\0b", "\udcff"])
def test_what_is_no_folder_and_can_be_none_is_refused(tmp_path, name):
    (tmp_path / "file").write_text("old")
    (tmp_path / "to-file").symlink_to("file")
    (tmp_path / "loop").symlink_to("loop")
    for refused in (require_folder, make_folder):
        with pytest.raises(FedboundsError, match="cannot write") as told:
            refused(tmp_path / name)
        assert "\n" not in str(told.value)


# ---- inside a folder


def test_a_file_of_a_folder_does_not_lead_out_of_it(tmp_path):
    folder = tmp_path / "results"
    (folder / "witnesses").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (folder / "out").symlink_to("../secret")
    (folder / "up").symlink_to("..")
    (folder / "beside").symlink_to(tmp_path / "results-of-others")
    (folder / "in").symlink_to("witnesses")
    absolute = str(tmp_path / "secret")
    for name in ("../secret", absolute, "out", "up/secret", "in/../../secret", "beside/x", "a\0b"):
        for asked in (inside, file_of):
            with pytest.raises(FedboundsError, match="leads out of .*results"):
                asked(folder, name)
    for name in ("x.json", "witnesses/x.py", "in/x.py", "witnesses/../x.json", "..x"):
        assert inside(folder, name) == folder / name
    (tmp_path / "link").symlink_to("results")
    assert inside(tmp_path / "link", "x.json") == tmp_path / "link" / "x.json"


# ---- nothing else in the package writes


OF_A_PATH = {"write_text", "write_bytes", "mkdir", "touch", "unlink", "symlink_to", "chmod"}
OF_A_MODULE = {
    "os": {"open", "fdopen", "makedirs", "mkdir", "replace", "rename", "remove", "unlink"},
    "tempfile": {"mkstemp", "mkdtemp", "NamedTemporaryFile", "TemporaryFile"},
    "shutil": {"copy", "copyfile", "move", "rmtree"},
    "json": {"dump"},
    "np": {"save", "savez", "savetxt"},
    "csv": {"writer", "DictWriter"},
}
# files.py writes; here text is made, and an output that was closed is replaced by the null device
ALLOWED = {
    "second_checker.py": {"open"},  # which reads
    "verify/page/exports/render.py": {"csv.writer"},
    "verify/commands/command_line.py": {"os.open"},
}


def written(source):
    """What a source writes files with, by itself."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name):
            if node.func.id == "open":
                yield "open"
            continue
        name = getattr(node.func, "attr", "")
        module = getattr(getattr(node.func, "value", None), "id", "")
        if name in OF_A_MODULE.get(module, OF_A_PATH | {"open"}):
            yield f"{module}.{name}"
        if name == "savefig" and getattr(node.args[0], "id", "") != "buffer":
            yield name


def test_nothing_else_in_the_package_writes_a_file():
    found = {
        path.relative_to(PACKAGE).as_posix(): names
        for path in sorted(PACKAGE.rglob("*.py"))
        if (names := set(written(path.read_text(encoding="utf-8"))))
    }
    assert found.pop("verify/results/files.py")
    assert found == ALLOWED


@pytest.mark.parametrize(
    "planted",
    [
        "open(path, 'w')",
        "path.open('x')",
        "path.write_text('a')",
        "Path(x).write_bytes(b'')",
        "folder.mkdir(parents=True)",
        "os.makedirs(x)",
        "tempfile.mkstemp()",
        "json.dump(data, file)",
        "np.save(path, array)",
        "figure.savefig(path)",
        "shutil.move(a, b)",
        "csv.writer(file)",
    ],
)
def test_a_planted_write_is_seen(planted):
    assert len(list(written(planted))) == 1


@pytest.mark.parametrize(
    "fine", ["write_text(path, 'a')", "figure.savefig(buffer)", "x.replace(a)"]
)
def test_ways_that_are_not_writing_are_not_seen(fine):
    assert list(written(fine)) == []
