"""Making a release: whole or not at all, under a number of its own, and never rewritten."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import a_figure, an_annotation

from annotator.campaign.home import Home
from annotator.gold import release as releasing
from annotator.gold import release_contents
from annotator.gold.release import make_release
from annotator.gold.releases import changes, release_called, releases
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Task
from panelwise.domain.errors import AnnotatorError

#: Every test builds a settled campaign: seconds in all.
pytestmark = pytest.mark.slow


def test_an_image_that_is_missing_or_another_makes_no_release(home: Home, adjudicated: Store) -> None:
    (home.images / "f2.png").write_bytes(b"another")
    with pytest.raises(AnnotatorError, match=r'figure "f2": images/f2\.png differs from the imported image'):
        make_release(home, adjudicated, "pilot", images=True)
    (home.images / "f2.png").unlink()
    with pytest.raises(AnnotatorError, match=r'figure "f2": images/f2\.png: No such file'):
        make_release(home, adjudicated, "pilot", images=True)
    assert releases(home) == []
    assert [path.name for path in (home.path / "releases").iterdir()] == [".lock"]
    assert make_release(home, adjudicated, "pilot").release.number == 1


def test_a_release_is_never_rewritten_and_numbers_are_never_given_twice(home: Home, adjudicated: Store) -> None:
    import shutil

    first = make_release(home, adjudicated, "pilot")
    for name in ("pilot", "PILOT"):
        with pytest.raises(AnnotatorError, match=r'release "pilot" already exists \(001-pilot\)'):
            make_release(home, adjudicated, name)
    for path in first.release.path.rglob("*"):
        assert path.is_dir() or path.stat().st_mode & 0o222 == 0
    second = make_release(home, adjudicated, "second")
    shutil.rmtree(second.release.path)
    assert make_release(home, adjudicated, "third").release.number == 3
    assert [each.number for each in releases(home)] == [1, 3]


@pytest.mark.parametrize("name", ["", "..", ".x", "a/b", "a b", "-x", "x" * 65, "ä", "a\n"])
def test_what_cannot_name_a_folder_cannot_name_a_release(home: Home, adjudicated: Store, name: str) -> None:
    with pytest.raises(AnnotatorError, match="is not a valid release name") as refused:
        make_release(home, adjudicated, name)
    assert "\n" not in str(refused.value)
    if name.isprintable():
        assert str(refused.value).startswith(f"'{name[:80]}' is not a valid release name")


def test_where_nothing_is_settled_there_is_nothing_to_release(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        tx.tasks.add([Task("f1", "ann1", "1"), Task("f1", "ann2", "1")])
        tx.annotations.add(an_annotation(status=Status.REJECTED, subfigures=()))
    with pytest.raises(AnnotatorError, match="no gold figures to release"):
        make_release(home, store, "pilot")
    assert releases(home) == []


def test_two_at_once_get_different_numbers(home: Home, adjudicated: Store) -> None:
    made: list[int] = []
    threads = [
        threading.Thread(
            target=lambda name=name: made.append(make_release(home, adjudicated, name).release.number)
        )
        for name in ("a", "b", "c")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [1, 2, 3]
    assert len({each.name for each in releases(home)}) == 3


def test_two_of_one_name_at_once_make_one_release(home: Home, adjudicated: Store) -> None:
    outcome: list[str] = []

    def make() -> None:
        try:
            make_release(home, adjudicated, "pilot")
            outcome.append("made")
        except AnnotatorError:
            outcome.append("refused")

    threads = [threading.Thread(target=make) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcome) == ["made", "refused"]


_KILLED = """
import os, sys
from pathlib import Path
from annotator.gold import release, release_contents
from annotator.campaign.home import Home
release_contents.Contents.finish = lambda *_: os._exit(9)
home = Home.find(Path(sys.argv[1]))
release.make_release(home, home.open_store(), "pilot")
"""


def test_a_crash_leaves_nothing_half_and_the_next_release_tidies_up(home: Home, adjudicated: Store) -> None:
    done = subprocess.run([sys.executable, "-c", _KILLED, str(home.path)], check=False, timeout=300)
    assert done.returncode == 9
    assert releases(home) == []
    assert any(path.name.startswith(".making-") for path in (home.path / "releases").iterdir())
    assert make_release(home, adjudicated, "pilot").release.number == 1
    assert sorted(path.name for path in (home.path / "releases").iterdir()) == [".lock", "001-pilot"]


def test_a_number_is_not_given_twice_where_the_process_was_killed_right_after_the_release(
    home: Home, adjudicated: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    put = releasing.put_folder

    def put_and_die(made: Path, path: Path) -> None:
        put(made, path)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(releasing, "put_folder", put_and_die)
        with pytest.raises(Killed):
            make_release(home, adjudicated, "pilot")
    [made] = releases(home)
    shutil.rmtree(made.path)  # withdrawn
    assert (made.number, make_release(home, adjudicated, "second").release.number) == (1, 2)


def test_an_error_at_the_very_end_leaves_no_release(
    home: Home, adjudicated: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(release_contents.Contents, "finish", full)
    with pytest.raises(OSError, match="No space"):
        make_release(home, adjudicated, "pilot")
    assert [path.name for path in (home.path / "releases").iterdir()] == [".lock"]


def test_whatever_changes_in_a_release_is_named(home: Home, adjudicated: Store) -> None:
    made = make_release(home, adjudicated, "pilot", images=True)
    folder = made.release.path

    def changed(path: Path, data: bytes | None) -> Iterator[str]:
        before = path.read_bytes() if path.exists() else None
        path.unlink(missing_ok=True)
        if data is not None:
            path.write_bytes(data)
        found = list(changes(made.release))
        path.unlink(missing_ok=True)
        if before is not None:
            path.write_bytes(before)
        assert list(changes(made.release)) == []
        yield from found

    image = next((folder / "images").iterdir())
    for file in (*(folder / name for name in ("gold.jsonl", "figures.jsonl", "annotations.jsonl")), image):
        [line] = changed(file, file.read_bytes() + b"\n")
        assert line.startswith(f"{file}: has changed")
        [line] = changed(file, None)
        assert line.startswith(f"{file}: No such file")
    manifest = folder / "manifest.json"
    [line] = changed(manifest, manifest.read_bytes().replace(b'"note": ""', b'"note": "x"'))
    assert line.startswith(f"{manifest}: has changed")
    for data in (None, b"", b"[]", b"{", b'{"format": "panelwise-release"}', b"\xff"):
        [line] = changed(manifest, data)
        assert line.startswith(f"{manifest}: ")
    for data in (None, b"", b"\xff", b"0" * 64 + b"  manifest.json\n"):
        [line] = changed(folder / "SHA256SUMS", data)
        assert "SHA256SUMS: " in line or "manifest.json: has changed" in line
    [line] = changed(folder / "more.txt", b"x")
    assert line == f"{folder / 'more.txt'}: is not part of the release; move it elsewhere"


def test_a_release_is_found_by_name_number_and_folder(home: Home, adjudicated: Store) -> None:
    made = make_release(home, adjudicated, "pilot").release
    for name in ("pilot", "1", "001", "001-pilot"):
        assert release_called(home, name) == made
    with pytest.raises(AnnotatorError, match='no release "2"'):
        release_called(home, "2")


def test_only_the_owner_needs_to_be_able_to_write_the_folder(home: Home, adjudicated: Store) -> None:
    before = os.umask(0o077)
    try:
        made = make_release(home, adjudicated, "pilot")
    finally:
        os.umask(before)
    assert made.release.path.stat().st_mode & 0o777 == 0o700
    assert (made.release.path / "gold.jsonl").stat().st_mode & 0o777 == 0o400
