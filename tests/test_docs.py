"""The documentation says what is so."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

PAGES = sorted([REPOSITORY / "README.md", REPOSITORY / "CHANGELOG.md", *(REPOSITORY / "docs").rglob("*.md")])


def test_every_command_and_option_is_documented_as_it_is_now() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/write_reference.py", "--check"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_between_pages_lead_somewhere(page) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_to_a_heading_lead_to_one(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            other = page.parent / target if target else page
            assert anchor in anchors(other), f"{page.name}: {target}#{anchor}"


def test_every_command_has_an_example() -> None:
    text = (REPOSITORY / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    for section in re.split(r"^###? ", text, flags=re.MULTILINE)[1:]:
        name = section.splitlines()[0]
        if "Commands:" not in section:
            assert "Example" in section, name


def test_the_readme_deploys_as_the_page_on_it_does() -> None:
    """The page's commands are run in tests/deployment."""
    readme, page = (
        (REPOSITORY / name).read_text(encoding="utf-8") for name in ("README.md", "docs/how-to/deploy.md")
    )
    section = readme.partition("## On a server\n")[2].partition("```sh\n")[2].partition("```")[0]
    commands = section.splitlines()
    assert len(commands) == 7
    lines = page.splitlines()
    places = [lines.index(command) for command in commands]
    assert places == sorted(places)
