from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from panelwise.runtime.atomic_write import put_folder, whole_file, write_whole


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, list[str]]]:
    """What was brought to the disk, in order: the inode, and for a folder the names that were in it then."""
    found: list[tuple[int, list[str]]] = []
    syncing = os.fsync

    def noted(handle: int) -> None:
        about = os.fstat(handle)
        found.append((about.st_ino, sorted(os.listdir(handle)) if stat.S_ISDIR(about.st_mode) else []))
        syncing(handle)

    monkeypatch.setattr(os, "fsync", noted)
    return found


@pytest.mark.parametrize("lasting", [False, True])
def test_a_file_that_cannot_be_written_whole_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lasting: bool
) -> None:
    file = tmp_path / ("ä" * 100 + ".png")
    write_whole(file, b"first", lasting=lasting)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left on device") as error:
        write_whole(file, b"second", lasting=lasting)
    assert error.value.filename == str(file)
    assert [each.name for each in tmp_path.iterdir()] == [file.name]
    assert file.read_bytes() == b"first"


@pytest.mark.parametrize("new", [False, True])
def test_the_name_of_a_lasting_file_is_on_the_disk_too(
    tmp_path: Path, synced: list[tuple[int, list[str]]], new: bool
) -> None:
    """A file that was only renamed may be gone after a power cut, or be what it was before."""
    write_whole(tmp_path / "a" / "b" / "c.key", b"x", lasting=True, new=new)
    assert synced == [
        ((tmp_path / "a" / "b" / "c.key").stat().st_ino, []),
        ((tmp_path / "a" / "b").stat().st_ino, ["c.key"]),
        ((tmp_path / "a").stat().st_ino, ["b"]),
        (tmp_path.stat().st_ino, ["a"]),
    ]


def test_a_folder_is_put_in_place_once_all_in_it_is_on_the_disk(
    tmp_path: Path, synced: list[tuple[int, list[str]]]
) -> None:
    made = tmp_path / "made"
    (made / "images").mkdir(parents=True)
    (made / "images" / "a.png").write_bytes(b"a")
    (made / "manifest.json").write_bytes(b"{}")
    put_folder(made, tmp_path / "001-pilot")
    there = tmp_path / "001-pilot"
    assert not made.exists()
    assert {inode for inode, _ in synced[:-1]} == {each.stat().st_ino for each in (there, *there.rglob("*"))}
    assert synced[-1] == (tmp_path.stat().st_ino, ["001-pilot"])


@pytest.mark.parametrize("refused", [errno.EPERM, errno.EOPNOTSUPP, None])
def test_a_new_file_replaces_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: int | None) -> None:
    def no_hard_links(*_: object) -> None:
        raise OSError(refused or 0, "refused")

    if refused:
        monkeypatch.setattr(os, "link", no_hard_links)
    write_whole(tmp_path / "a.key", b"first", mode=0o600, new=True)
    assert stat.S_IMODE((tmp_path / "a.key").stat().st_mode) == 0o600
    with pytest.raises(FileExistsError) as error:
        write_whole(tmp_path / "a.key", b"second", new=True)
    assert error.value.filename == str(tmp_path / "a.key")
    assert [each.name for each in tmp_path.iterdir()] == ["a.key"]
    assert (tmp_path / "a.key").read_bytes() == b"first"


def test_a_written_file_has_the_rights_that_new_files_have(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.png", b"")
    (tmp_path / "b.png").write_bytes(b"")
    assert (tmp_path / "a.png").stat().st_mode == (tmp_path / "b.png").stat().st_mode


def test_an_error_on_the_way_leaves_nothing_and_keeps_its_own_name(tmp_path: Path) -> None:
    def write_half() -> None:
        with whole_file(tmp_path / "new" / "a.jsonl") as file:
            file.write(b"half")
            (tmp_path / "elsewhere").read_bytes()

    with pytest.raises(FileNotFoundError) as error:
        write_half()
    assert error.value.filename == str(tmp_path / "elsewhere")
    assert list((tmp_path / "new").iterdir()) == []


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a.jsonl").write_bytes(b"old")
    (tmp_path / "second").symlink_to("there/a.jsonl")
    (tmp_path / "first").symlink_to("second")
    (tmp_path / "dangling").symlink_to("new/b.jsonl")
    for name in ("first", "dangling"):
        write_whole(tmp_path / name, b"new")
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / name).read_bytes() == b"new"
    assert (tmp_path / "there" / "a.jsonl").read_bytes() == b"new"
    assert [each.name for each in (tmp_path / "there").iterdir()] == ["a.jsonl"]


def test_links_that_go_round_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links") as error:
        write_whole(tmp_path / "a", b"")
    assert error.value.filename == str(tmp_path / "a")
    assert (tmp_path / "a").is_symlink()


def test_what_is_no_plain_file_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("pipe")
    for name, complaint in (
        ("pipe", "is no plain file; name a file to write"),
        ("link", "is no plain file; name a file to write"),
        ("folder", "is a directory; name a file in it"),
    ):
        with pytest.raises(OSError, match=complaint) as error, whole_file(tmp_path / name):
            pytest.fail("nothing is to be made")
        assert (error.value.filename, error.value.strerror) == (str(tmp_path / name), complaint)
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder", "link", "pipe"]


def test_a_file_system_that_refuses_to_remove_hides_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(self: Path, missing_ok: bool = False) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted", str(self))

    def write() -> None:
        with whole_file(tmp_path / "a.jsonl"):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    monkeypatch.setattr(Path, "unlink", refused)
    with pytest.raises(FileNotFoundError) as error:
        write()
    assert error.value.filename == str(tmp_path / "a.jsonl")


def test_what_a_kill_left_goes_when_the_file_is_written_again_and_nothing_else(tmp_path: Path) -> None:
    file, code = tmp_path / "gold.jsonl", "0123456789abcdef"
    script = (
        "import os, pathlib, signal, sys\nfrom panelwise.runtime.atomic_write import whole_file\n"
        "with whole_file(pathlib.Path(sys.argv[1])) as out:\n"
        "    out.write(b'half'); out.flush(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(file)], check=False)
    (left,) = tmp_path.iterdir()
    others = [
        tmp_path / name for name in (f".gold.jsonl.bak.{code}", f".other.jsonl.{code}", f"gold.jsonl.{code}")
    ]
    for path in others:
        path.write_bytes(b"mine")
    for path in (left, *others):
        os.utime(path, (0, 0))
    with whole_file(file) as out:
        # Another writer of the same file, at the same time, however old its partial file is.
        (being_written,) = {*tmp_path.iterdir()} - {*others}
        os.utime(being_written, (0, 0))
        write_whole(file, b"second", lasting=True)
        out.write(b"first")
    assert {*tmp_path.iterdir()} == {file, *others}
    assert file.read_bytes() == b"first"
