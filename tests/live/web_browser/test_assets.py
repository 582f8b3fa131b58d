"""The committed build belongs to its sources, and the check of that sees what it should."""

from __future__ import annotations

import gzip
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "check_assets.py"


@pytest.fixture(scope="module")
def check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_assets", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folders(check: ModuleType, tmp_path: Path) -> tuple[Path, Path]:
    source, built = tmp_path / "frontend", tmp_path / "dist"
    (source / "src").mkdir(parents=True)
    built.mkdir()
    (source / "src" / "main.tsx").write_text("one\n")
    (built / "adjudication.js").write_text("1\n")
    check.write(source, built)
    return source, built


def test_the_committed_build_is_fresh(check: ModuleType) -> None:
    assert check.stale() == []


def test_a_changed_an_added_and_a_lost_file_are_seen(check: ModuleType, folders: tuple[Path, Path]) -> None:
    source, built = folders
    assert check.stale(source, built) == []
    (source / "src" / "new.ts").write_text("")
    assert check.stale(source, built) == ["src/new.ts"]
    (source / "src" / "main.tsx").unlink()
    (built / "adjudication.js").write_text("2\n")
    assert check.stale(source, built) == ["src/main.tsx", "src/new.ts", "adjudication.js"]


def test_line_ends_do_not_matter_but_a_lost_or_broken_manifest_does(
    check: ModuleType, folders: tuple[Path, Path]
) -> None:
    source, built = folders
    (source / "src" / "main.tsx").write_bytes(b"one\r\n")
    assert check.stale(source, built) == []
    (built / "manifest.json").write_text("[]")
    assert check.stale(source, built) == ["manifest.json"]
    (built / "manifest.json").unlink()
    assert check.stale(source, built) == ["manifest.json"]


def test_the_built_files_are_small_fixed_in_name_and_free_of_eval_and_source_maps(check: ModuleType) -> None:
    files = {file.name: file.read_bytes() for file in check.BUILT.iterdir()}
    assert sorted(files) == ["THIRD_PARTY_LICENSES.txt", "adjudication.css", "adjudication.js", "manifest.json"]
    code, style = files["adjudication.js"], files["adjudication.css"]
    page = (check.BUILT.parent / "pages.css").read_bytes()
    # All that the figure screen loads of script and style.
    assert sum(len(gzip.compress(each)) for each in (code, style, page)) < 150_000
    for forbidden in (b"eval(", b"new Function", b"sourceMappingURL"):
        assert forbidden not in code, forbidden
    assert b"@import" not in style
    assert b"url(http" not in style


def test_every_bundled_package_has_its_licence_told(check: ModuleType) -> None:
    told = (check.BUILT / "THIRD_PARTY_LICENSES.txt").read_text(encoding="utf-8")
    for name in ("preact 11", "@annotorious/annotorious 3.8.10", "@annotorious/core 3.8.10", "rbush", "svelte 4"):
        assert f"\n{name}" in told, name


def test_the_lock_names_no_host(check: ModuleType) -> None:
    lock = (check.SOURCES / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock


def test_no_source_writes_markup(check: ModuleType) -> None:
    for file in filter(Path.is_file, (check.SOURCES / "src").rglob("*")):
        text = file.read_text(encoding="utf-8")
        assert "innerHTML" not in text, file.name
        assert "dangerouslySet" not in text, file.name
