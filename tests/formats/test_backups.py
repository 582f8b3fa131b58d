"""The file of a backup: what is refused, and that whatever is damaged in it is found."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.operations.backup_file import MANIFEST, BackupWriter, open_backup
from panelwise.domain.errors import FormatError

FILES = {
    "store.sqlite": b"rows" * 5000,
    "campaign.toml": b'name = "lungs"\n',
    "images/a.png": bytes(range(256)) * 40,
    "guidelines/guidelines.md": "# Börsen 😀\n".encode(),
}


def made(path: Path, files: dict[str, bytes] = FILES) -> Path:
    with path.open("wb") as file:
        writer = BackupWriter(file)
        for name, data in files.items():
            writer.add(name, BytesIO(data))
        writer.finish({"campaign": "lungs"})
    return path


def read(path: Path) -> dict[str, bytes]:
    with open_backup(path) as backup:
        return {name: b"".join(backup.read(name)) for name in backup.files}


def rewritten(path: Path, change: Callable[[dict[str, Any], dict[str, bytes]], None]) -> Path:
    """The backup with its manifest and files as somebody changed them."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(files.pop(MANIFEST))
    change(manifest, files)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        archive.writestr(MANIFEST, json.dumps(manifest))
    return path


def test_what_was_put_in_comes_out(tmp_path: Path) -> None:
    path = made(tmp_path / "b.zip")
    assert read(path) == FILES
    with open_backup(path) as backup:
        assert backup.manifest["campaign"] == "lungs"
        assert backup.files == {name: len(data) for name, data in FILES.items()}


def test_other_tools_read_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(made(tmp_path / "b.zip")) as archive:
        assert archive.testzip() is None
        assert archive.read("images/a.png") == FILES["images/a.png"]
        assert archive.getinfo("images/a.png").compress_type == zipfile.ZIP_STORED
        assert archive.getinfo("store.sqlite").compress_size < len(FILES["store.sqlite"]) / 10


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_wherever_a_byte_changes_or_it_is_cut_off_it_is_told_or_nothing_is_lost(
    data: st.DataObject, tmp_path: Path
) -> None:
    whole = made(tmp_path / "b.zip").read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        spoilt = whole[:place]
    else:
        spoilt = whole[:place] + bytes([whole[place] ^ data.draw(st.integers(1, 255))]) + whole[place + 1 :]
    (tmp_path / "spoilt.zip").write_bytes(spoilt)
    try:
        found = read(tmp_path / "spoilt.zip")
    except FormatError:
        return
    # Dates, attributes and the like stand in an archive too.
    assert found == FILES


def _longer(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    files["images/a.png"] += b"x"


def _other(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    files["images/a.png"] = bytes(len(files["images/a.png"]))


def _missing(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    del files["images/a.png"]


def _surplus(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    files["images/b.png"] = b"x"


def _newer(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    manifest["format_version"] = 2


def _foreign(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    manifest["format"] = "another"


def _without_store(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    del manifest["files"]["store.sqlite"], files["store.sqlite"]


def _without_hash(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    del manifest["files"]["images/a.png"]["sha256"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_longer, "images/a.png differs from the file that was backed up; use an intact copy"),
        (_other, "images/a.png differs from the file that was backed up; use an intact copy"),
        (_missing, "files differ from the list in its manifest"),
        (_surplus, "files differ from the list in its manifest"),
        (_newer, "a newer Panelwise made this backup"),
        (_foreign, "is not that of a backup"),
        (_without_store, "has no campaign"),
        (_without_hash, "has no size or hash for 'images/a.png'"),
    ],
)
def test_what_does_not_fit_its_manifest_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any], dict[str, bytes]], None], said: str
) -> None:
    path = rewritten(made(tmp_path / "b.zip"), change)
    with pytest.raises(FormatError, match=said):
        read(path)


@pytest.mark.parametrize(
    "name",
    ["../x", "images/../../x", "/etc/x", "images/a\\..\\x", "x", "images", ".ssh/keys", "images//a", "images/\n"],
)
def test_a_file_that_is_no_part_of_a_campaign_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(FormatError, match="which is not part of a campaign"):
        read(made(tmp_path / "b.zip", {**FILES, name: b"x"}))


@pytest.mark.parametrize(
    "name",
    [
        "guidelines/secret.key",
        "guidelines/campaign.toml",
        "guidelines",
        "label-studio/.env",
        "label-studio/x.json",
    ],
)
def test_a_file_that_would_become_settings_or_the_secret_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(FormatError, match="which is not part of a campaign"):
        read(made(tmp_path / "b.zip", {**FILES, name: b"x"}))


def test_a_manifest_is_not_unpacked_beyond_what_its_files_can_need(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, b"[" + b"[]," * 20_000_000 + b"[]]")
    assert (tmp_path / "b.zip").stat().st_size < 100_000
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=r"manifest.json is longer than the 4\.2 MB that its files can need"):
            read(tmp_path / "b.zip")
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()


def test_many_missing_files_leave_a_manifest_that_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    with path.open("wb") as file:
        writer = BackupWriter(file)
        for name, data in FILES.items():
            writer.add(name, BytesIO(data))
        writer.finish({"problems": [f"images/{number}.png: {'x' * 400}" for number in range(20_000)]})
    with open_backup(path) as backup:
        assert backup.manifest["problems"][-1] == "and 19,000 more of these"


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("name", [MANIFEST, "store.sqlite"])
def test_a_packing_that_unpacks_without_bounds_is_refused(tmp_path: Path, packing: int, name: str) -> None:
    with zipfile.ZipFile(made(tmp_path / "b.zip")) as archive:
        files = {each: archive.read(each) for each in archive.namelist()}
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        for each, data in files.items():
            archive.writestr(each, data, packing if each == name else zipfile.ZIP_DEFLATED)
    with pytest.raises(FormatError, match=f"{name}' has a compression that `annotator backup` never uses"):
        read(tmp_path / "c.zip")


def test_files_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    """A bomb of overlapping entries: each leads to the same bytes of the archive."""
    big = bytes(5_000_000)
    path = made(tmp_path / "b.zip", {**FILES, "images/a.dat": big, "images/b.dat": b"", "images/c.dat": b""})
    with zipfile.ZipFile(path, "a") as archive:
        first = archive.getinfo("images/a.dat")
        for name in ("images/b.dat", "images/c.dat"):
            entry = archive.getinfo(name)
            entry.header_offset, entry.CRC = first.header_offset, first.CRC
            entry.compress_size, entry.file_size = first.compress_size * 1000, first.file_size
        archive._didModify = True  # type: ignore[attr-defined]  # so that it writes its directory anew
    with pytest.raises(FormatError, match="its files overlap"):
        read(path)


def _negative(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    manifest["files"]["images/a.png"]["bytes"] = -(10**15)


def _huge_settings(manifest: dict[str, Any], files: dict[str, bytes]) -> None:
    manifest["files"]["campaign.toml"]["bytes"] = 9 << 20


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_negative, "has no size or hash for 'images/a.png'"),
        (_huge_settings, "'campaign.toml' has 9,437,184 bytes, too large"),
    ],
)
def test_sizes_that_cannot_be_are_refused_before_anything_is_unpacked(
    tmp_path: Path, change: Callable[[dict[str, Any], dict[str, bytes]], None], said: str
) -> None:
    path = rewritten(made(tmp_path / "b.zip"), change)
    with pytest.raises(FormatError, match=said), open_backup(path):
        pytest.fail("it was opened")


def test_what_is_no_backup_is_told(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("hello")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a", "b")
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr(MANIFEST, "{")
    for name, said in {
        "text.zip": "not a backup, or truncated",
        "other.zip": "no manifest.json",
        "bad.zip": "manifest.json is not valid JSON",
        "none.zip": "no such file",
        "": "is a folder",
    }.items():
        with pytest.raises(FormatError, match=said):
            read(tmp_path / name)
