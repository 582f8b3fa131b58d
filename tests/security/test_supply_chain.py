"""What is shipped is known: licences, the bill of materials, and the report on vulnerabilities."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import REPOSITORY

SCRIPTS = REPOSITORY / "scripts"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"script_{name}", SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up there.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


licences = script("check_licences")
audit = script("audit")
TEXT = f"{'-' * 100}\nnice 1.0 (MIT)\n{'-' * 100}\n\nPermission is hereby granted\n"
PAGE = "x\n<!-- table -->\n| `nice` | 1.0 | MIT |\n<!-- end of table -->\n"


@pytest.fixture
def lock(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(licences, "WITHIN", {})
    return {"packages": {"": {}, "node_modules/nice": {"version": "1.0", "license": "MIT"},
                         "node_modules/tool": {"version": "9", "license": "GPL-3.0", "dev": True}}}  # fmt: skip


def test_every_package_in_the_front_end_is_allowed_signed_off_and_has_its_text_shipped() -> None:
    bundled, page = licences.TEXTS.read_text(encoding="utf-8"), licences.PAGE.read_text(encoding="utf-8")
    there = json.loads(licences.LOCK.read_text(encoding="utf-8"))
    assert len(licences.shipped(there)) >= 10
    assert licences.problems(there, bundled, page) == []


def test_what_is_signed_off_and_shipped_is_no_problem(lock: dict[str, Any]) -> None:
    assert licences.problems(lock, TEXT, PAGE) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"license": "GPL-3.0"}, "is not among those allowed"),
        ({"license": ""}, "is not among those allowed"),
        ({"version": "2.0"}, "nobody has signed it off"),
        ({"version": "2.0"}, "text is not shipped"),
        ({"version": "2.0"}, "nice 1.0 (MIT): its text is shipped, and it is not"),
        ({"dev": True}, "is signed off, and shipped no more"),
    ],
)
def test_each_thing_that_is_wrong_is_told(lock: dict[str, Any], change: dict[str, Any], told: str) -> None:
    lock["packages"]["node_modules/nice"].update(change)
    assert any(told in line for line in licences.problems(lock, TEXT, PAGE))


def test_a_text_that_is_none_is_told(lock: dict[str, Any]) -> None:
    assert licences.problems(lock, TEXT.replace("Permission", "Nothing"), PAGE)


@pytest.mark.slow
def test_the_bill_of_materials_names_every_locked_package_and_is_the_same_twice(tmp_path: Path) -> None:
    made = []
    for name in ("a.json", "b.json"):
        command = [sys.executable, "scripts/make_sbom.py", "--out", str(tmp_path / name)]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        made.append((tmp_path / name).read_text(encoding="utf-8"))
    assert made[0] == made[1]
    bill = json.loads(made[0])
    names = {component["name"].lower().replace("_", "-") for component in bill["components"]}
    locked = (REPOSITORY / "requirements" / "base.txt").read_text(encoding="utf-8")
    wanted = {line.split("==")[0].lower() for line in locked.splitlines() if "==" in line and line[0].isalnum()}
    assert wanted <= names
    assert {"preact", "@annotorious/annotorious", "svelte"} <= names
    assert str(REPOSITORY) not in made[0]
    hashed = [each for each in bill["components"] if each.get("hashes") or each.get("externalReferences")]
    assert len(hashed) >= len(wanted)


PIP = {
    "dependencies": [
        {"name": "fine", "version": "1", "vulns": []},
        {"name": "bad", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3", "4"], "aliases": []}]},
        {"name": "unknown", "skip_reason": "not found"},
    ]
}
NPM = {
    "metadata": {"dependencies": {"total": 7}},
    "vulnerabilities": {
        "bad": {"via": [{"url": "https://example.org/a", "range": "<2"}, "other"], "fixAvailable": False},
        "worse": {"via": [{"title": "x"}], "range": "*", "fixAvailable": {"name": "worse", "version": "9"}},
    },
}


def test_what_pip_audit_found_is_told_and_what_it_skipped_is_not_counted_as_asked() -> None:
    found = audit.of_pip_audit("a.txt", json.dumps(PIP), "")
    assert (found.asked, found.findings) == (2, [audit.Finding("bad", "2", "PYSEC-1", "3, 4")])
    text = audit.report([found])
    assert "2 packages asked for, 1 finding (1 of 3 packages are unknown to the service, unknown for one)" in text
    assert "| `a.txt` | bad | 2 | PYSEC-1 | 3, 4 |" in text


def test_what_npm_found_is_told() -> None:
    found = audit.of_npm("lock", json.dumps(NPM), "")
    assert found.asked == 7
    assert [each.name for each in found.findings] == ["https://example.org/a", "x"]
    assert "worse 9" in audit.report([found])


@pytest.mark.parametrize("said", ["", "{}", "[]", "null", "no json", '{"message": "405 Method Not Allowed"}'])
def test_no_answer_is_not_the_same_as_no_finding(said: str) -> None:
    for found in (audit.of_pip_audit("a", said, "x\nno network\n"), audit.of_npm("a", said, "x\nno network\n")):
        text = audit.report([found])
        assert "not asked (" in text
        assert "no findings" not in text


def test_a_tool_that_is_not_here_is_told() -> None:
    assert audit.run(["panelwise-has-no-such-tool"], REPOSITORY) == ("", "panelwise-has-no-such-tool is not here")
