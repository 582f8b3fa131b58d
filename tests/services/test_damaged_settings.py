"""Damage to files that are read whole, settings and manifests: refused in a line or read, never a traceback."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from damage import Damaged, Reader, damaged
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from annotator.gold.manifest import FORMAT, MANIFEST
from annotator.gold.releases import SUMS, Release, changes
from panelwise.domain.campaign import Campaign, Phase
from panelwise.domain.errors import LONGEST, FormatError, one_line
from panelwise.settings.campaign_toml import campaign_text, read_campaign

TOML = campaign_text(Campaign("lungs", (Phase("1"), Phase("2")), ("A", "B"), "v1"))
MANIFESTS = [
    {
        "format": FORMAT,
        "created_at": "2026-11-01T12:00:00Z",
        "names": "pseudonyms",
        "files": {"gold.jsonl": {"sha256": "0" * 64}},
        "figures": {"f1": {"file": "images/f1.png", "image_sha256": "1" * 64, "revision": 1}},
        "counts": {"figures": 1, "subfigures": 2},
    }
]
ODD_TOML = (
    "1" + "0" * 5000,
    "[" * 5000,
    "{a=" * 3000,
    "nan",
    "inf",
    '"\\ud800"',
    "[[1], {a = 1}]",
    "2026-01-01",
    "",
)


def told(read: Callable[[], object]) -> str:
    """The one line of an error; "" where all was read."""
    try:
        read()
    except FormatError as error:
        return one_line(error)
    return ""


@st.composite
def spoilt_toml(draw: st.DrawFn) -> bytes:
    raw = TOML.encode()
    kind = draw(st.sampled_from(["cut", "value", "twice", "bytes", "bom", "crlf"]))
    at = draw(st.integers(0, len(raw)))
    if kind == "cut":
        return raw[:at]
    if kind == "bytes":
        return raw[:at] + draw(st.binary(min_size=1, max_size=4)) + raw[at + 1 :]
    if kind in ("value", "twice"):
        lines = TOML.splitlines()
        place = draw(st.sampled_from([n for n, line in enumerate(lines) if "=" in line and line[0] != "#"]))
        changed = f"{lines[place].split('=')[0]}= {draw(st.sampled_from(ODD_TOML))}"
        lines[place : place + (kind == "value")] = [changed]
        return "\n".join(lines).encode()
    return b"\xef\xbb\xbf" + raw if kind == "bom" else raw.replace(b"\n", b"\r\n")


@given(spoilt_toml())
@example(b"\x1f\x8b\x08\x00")
@example("name = 1".encode("utf-16"))
@example(b"")
def test_spoilt_settings_are_told_in_a_line(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "campaign.toml"
        file.write_bytes(content)
        line = told(lambda: read_campaign(file))
        assert not line or str(file) in line
        assert len(line) <= LONGEST


@pytest.mark.parametrize("change", [lambda raw: b"\xef\xbb\xbf" + raw, lambda raw: raw.replace(b"\n", b"\r\n")])
def test_settings_of_a_windows_editor_are_read(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    (tmp_path / "campaign.toml").write_bytes(change(TOML.encode()))
    assert read_campaign(tmp_path / "campaign.toml").campaign.name == "lungs"


def test_a_folder_in_place_of_the_settings_is_told(tmp_path: Path) -> None:
    assert told(lambda: read_campaign(tmp_path)) == f"{tmp_path}: Is a directory"


@given(damaged(Reader("manifest", MANIFESTS, lambda path, problems: iter(()), lambda texts: texts[0], ".json")))
@settings(suppress_health_check=list(HealthCheck))
@example(Damaged(b'{"a":' * 100_000, frozenset(), True))
@example(
    Damaged(b'{"format": "panelwise-release", "files": {"\\u0000": {"sha256": ""}}, "figures": {}}', frozenset())
)
def test_a_spoilt_manifest_is_told_by_the_check_of_a_release(case: Damaged) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if case.content is None:
            (folder / MANIFEST).mkdir()
        else:
            (folder / MANIFEST).write_bytes(case.content)
        (folder / SUMS).write_text(f"{'0' * 64}  {MANIFEST}\n")
        found = list(changes(Release(folder, 1, "one")))
        assert found
        assert all(str(folder) in line and "\n" not in line for line in found)


def test_a_key_that_stands_twice_in_a_manifest_is_told(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text('{"format": "panelwise-release", "files": {}, "figures": {}, "files": {}}')
    assert '"files" occurs twice in one object' in told(lambda: Release(tmp_path, 1, "one").manifest())
