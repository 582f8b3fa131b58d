"""The documentation says what is so."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from conftest import REPOSITORY
from documented_commands import PROGRAMS

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*[a-z0-9]\b")
#: Options of others' programs that pages and messages speak of.
OF_OTHERS = {
    "pip": {"--disable-pip-version-check", "--no-deps", "--no-input", "--require-hashes"},
    "uv": {"--python", "--quiet"},
    "docker compose": {"--build", "--force-recreate", "--profile", "--rm", "--wait"},
    "PostgreSQL": {"--encoding", "--owner", "--pwprompt"},
    "Label Studio": {"--internal-host", "--no-browser"},
    "docling": {"--image-export-mode", "--to"},
    "torchrun": {"--nproc-per-node"},
    "our tests and benchmarks": {
        *(
            "--data",
            "--folder",
            "--half",
            "--sentences",
            "--kind",
            "--misses",
            "--rounds",
            "--runs",
            "--seeds",
            "--smoke",
            "--soak",
            "--test",
            "--write",
        ),
        "--train",
    },
    "no program, a name in a style sheet": {"--color-neutral-content", "--pw-around"},
}
PACKAGES = ("agreement", "annotator", "label_config", "prelabel")

PAGES = sorted([REPOSITORY / "README.md", REPOSITORY / "CHANGELOG.md", *(REPOSITORY / "docs").rglob("*.md")])


@pytest.mark.parametrize(
    "script",
    [
        "write_reference.py",
        "write_settings.py",
        "write_glossary.py",
        "write_index.py",
        "write_layouts.py",
        "write_openapi.py",
        "write_schemas.py",
        "write_types.py",
    ],
)
@pytest.mark.slow
def test_pages_that_are_written_from_the_code_are_fresh(script: str) -> None:
    done = subprocess.run(
        [sys.executable, f"scripts/{script}", "--check"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_page_stands_below_one_role() -> None:
    text = (REPOSITORY / "zensical.toml").read_text(encoding="utf-8")
    listed = re.findall(r'^ *"(.*\.md)",$', text, re.MULTILINE)
    docs = REPOSITORY / "docs"
    assert sorted(listed) == sorted(str(page.relative_to(docs)) for page in docs.rglob("*.md"))


def test_the_readme_is_read_in_two_minutes() -> None:
    assert len((REPOSITORY / "README.md").read_text(encoding="utf-8").splitlines()) < 120


def test_the_readme_clones_into_the_projects_name_and_makes_an_environment_before_pip() -> None:
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert re.search(r"^git clone \S+ panelwise && cd panelwise$", text, re.MULTILINE)
    commands = [line for line in text.splitlines() if line.startswith(("python3 -m venv", "pip install"))]
    assert commands[0].startswith("python3 -m venv .venv/own && . .venv/own/bin/activate")
    assert any(line.startswith("pip install") for line in commands[1:])


def spoken_of() -> Iterator[tuple[str, str]]:
    """Every option that a page or a string in the code names, and where."""
    for page in PAGES:
        if page.name == "CHANGELOG.md":  # It speaks of options that are gone as well.
            continue
        for option in OPTION.findall(page.read_text(encoding="utf-8")):
            yield option, str(page.relative_to(REPOSITORY))
    for module in (path for package in PACKAGES for path in (REPOSITORY / package).rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for option in OPTION.findall(node.value):
                    yield option, f"{module.relative_to(REPOSITORY)}:{node.lineno}"


def test_every_screenshot_is_one_that_make_pictures_takes() -> None:
    script = (REPOSITORY / "scripts" / "make_pictures.py").read_text(encoding="utf-8")
    there = {
        path.stem for path in (REPOSITORY / "docs" / "images").glob("*.*") if path.suffix in (".png", ".webp")
    }
    assert there
    assert {name for name in there if f'"{name}"' not in script and f'"{name}.webp"' not in script} == set()


@pytest.mark.slow
def test_options_that_pages_and_messages_name_are_there() -> None:
    reference = (REPOSITORY / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    # Every command has these; of the others a line each: "  --seed N  ..." or "  --sweep / --no-sweep  ...".
    ours = {"--help", "--version"} | {
        each
        for line in re.findall(r"^  (-\S+(?: \S+)*)", reference, re.MULTILINE)
        for each in OPTION.findall(line)
    }
    assert {"--home", "--random-weights", "--start"} <= ours
    others = set[str]().union(*OF_OTHERS.values())
    spoken = list(spoken_of())
    assert [f"{where}: {option}" for option, where in spoken if option not in ours | others] == []
    # What nobody speaks of any more is not to hide what is wrong.
    assert others <= {option for option, _ in spoken}


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


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """The commands below a group, with their full names."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for each in command.list_commands(context):
        below = command.get_command(context, each)
        assert below is not None
        yield from commands(below, f"{name} {each}")


def test_every_command_is_documented_and_has_an_example() -> None:
    text = (REPOSITORY / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    sections = set(re.findall(r"^### (.*)$", text, re.MULTILINE))
    found = {name: each for program, group in PROGRAMS.items() for name, each in commands(group, program)}
    assert len(found) > 50
    assert found.keys() <= sections
    for name, command in found.items():
        assert name in (command.epilog or ""), name
