"""Commands that the product and its pages print: each exists, with its options, and does what it promises."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from cli.test_next_steps import GROUPS, Lab, lab, leaves, run_line
from conftest import REPOSITORY
from running import next_command

from annotator.cli.campaign.demo import welcome
from annotator.demo import figures as demo
from annotator.demo import questions
from annotator.label_studio.embedded.server import EmbeddedServer
from tests.label_studio.fake import FakeServer

__all__ = ["lab"]

PACKAGES = ("agreement", "annotator", "label_config", "prelabel")
#: From a program's name to where the sentence around it goes on.
PRINTED = re.compile(r"(?<![\w./-])(annotator|agreement|prelabel) ([a-z][^`<>;|\n\"()]*)")
QUOTED = re.compile(r"(?:`|<code>|^next: )(annotator|agreement|prelabel) ([a-z-]+)")
#: Pages speak of `agreement` as a noun and in Python as a package.
NO_COMMAND = {("agreement", "import"), ("agreement", "is")}


def texts() -> Iterator[tuple[str, str]]:
    """Every text that users read, and where: strings in the code, templates, the code of pages."""
    for path in (path for package in PACKAGES for path in sorted((REPOSITORY / package).rglob("*.py"))):
        source = path.read_text(encoding="utf-8")
        if not PRINTED.search(source):
            continue
        tree = ast.parse(source)
        inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            where = f"{path.relative_to(REPOSITORY)}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.JoinedStr):
                yield (
                    where,
                    "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values),
                )
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
                yield where, node.value
    for path in sorted((REPOSITORY / "annotator" / "web" / "templates").rglob("*.html")):
        yield str(path.relative_to(REPOSITORY)), re.sub(r"\{\{.*?\}\}", "X", path.read_text(encoding="utf-8"))
    for path in [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]:
        page = path.read_text(encoding="utf-8")
        blocks = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        spans = re.findall(r"`[^`\n]+`", page)
        for text in (*(re.sub(r"\\\n\s*", "", block) for block in blocks), *spans):
            yield str(path.relative_to(REPOSITORY)), re.sub(r"\s+#.*", "", text)


def complaint(program: str, rest: str) -> str | None:
    """What is wrong with a printed command: no such command, or an option that it does not have."""
    command: click.Command = GROUPS[program]
    words = rest.split()
    while isinstance(command, click.Group) and words and re.fullmatch(r"[a-z][a-z-]*", words[0].rstrip(".,:")):
        below = command.get_command(click.Context(command), words[0].rstrip(".,:"))
        if below is None:
            return None if isinstance(command, click.Group) and command.name != program else "no such command"
        command, words = below, words[1:]
    options = {each for option in command.params for each in (*option.opts, *option.secondary_opts)} | {"--help"}
    wrong = [word for word in re.findall(r"(?<!\S)--[a-z][a-z-]*", " ".join(words)) if word not in options]
    return f"no option {wrong[0]}" if wrong and not isinstance(command, click.Group) else None


@pytest.mark.slow
def test_every_printed_command_is_there_with_every_option_that_is_printed() -> None:
    found, wrong = set(), []
    for where, text in texts():
        for program, rest in PRINTED.findall(text):
            said = complaint(program, rest)
            if said == "no such command":  # a noun, unless it is set as code
                quoted = (program, rest.split()[0].rstrip(".,:")) in QUOTED.findall(text)
                said = said if quoted and (program, rest.split()[0]) not in NO_COMMAND else None
            else:
                found.add(f"{program} {rest.split()[0]}")
            if said:
                wrong.append(f"{where}: {program} {rest}: {said}")
    assert wrong == []
    everything = {" ".join(path.split()[:2]) for name, group in GROUPS.items() for path in leaves(group, name)}
    assert everything <= found


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("assign --overlap 3", None),
        ("assign --overlaps 3", "no option --overlaps"),
        ("assigns", "no such command"),
        ("export gold --from x", "no option --from"),
    ],
)
def test_a_command_or_option_that_is_not_there_is_noticed(words: str, expected: str | None) -> None:
    assert complaint("annotator", words) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("campaign", "reported", "exported"),
    [
        ("subfigures", "IAA", "wrote 2 figures to gold.jsonl (0 adjudicated, 2 unanimous, 0 single)"),
        (
            "figure-qa",
            "verdict",
            "wrote 14 pairs on 2 figures to qa.jsonl (0 adjudicated, 14 unanimous, 0 single)",
        ),
    ],
)
def test_the_commands_that_the_demo_prints_give_a_report_and_gold_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, campaign: str, reported: str, exported: str
) -> None:
    monkeypatch.chdir(tmp_path)
    pairs = campaign == "figure-qa"
    home = (questions if pairs else demo).prepare(Path("my demo"), lambda _: None)
    with home.open_store() as store:
        demo.fill(home, store, FakeServer(), lambda _: None, work=questions.work if pairs else None)
        login = demo.reviewer_login(home, store)
        studio = EmbeddedServer("http://127.0.0.1:1", "lead@example.org", "x", "x", 1, started_here=True)
        text = welcome(home, store, "http://127.0.0.1:2/", login, studio, pairs=pairs)
    assert ("4 charts" if pairs else "4 figures with pre-labels") in text
    report, export = re.findall(r"^  ((?:annotator|agreement) .*)$", text, re.MULTILINE)
    done = run_line(report)
    assert (done.returncode, reported in done.stdout) == (0, True), done.stderr
    done = run_line(export)
    assert done.stdout.splitlines() == [exported, "status of 6 figures: 2 unanimous, 4 waiting"], done.stderr
    assert done.returncode == 0
    done = run_line(next_command(done.stderr).replace("NAME", "first"))
    assert (done.returncode, "unanimous" in done.stdout) == (0, True), done.stderr


def advice(stderr: str) -> str:
    """The command that the last line of stderr recommends, as printed."""
    program, rest = PRINTED.findall(stderr.strip().splitlines()[-1])[-1]
    return f"{program} {rest}".rstrip(" .,")


@pytest.mark.parametrize(
    ("failing", "recommended", "filled"),
    [
        ("annotator status", "annotator init DIR", {"DIR": "other"}),
        ("annotator push --home lungs", "annotator assign --annotators a,b,c", {}),
        ("annotator pull --home lungs", "annotator assign --annotators a,b,c", {}),
        ("annotator sync --home lungs", "annotator assign --annotators a,b,c", {}),
        ("annotator user invite --home lungs", "annotator assign --annotators a,b,c", {}),
        ("annotator assign --home lungs --order uncertainty --annotators a,b", "prelabel run", {}),
        ("annotator serve --home lungs", "annotator user add NAME --role reviewer", {"NAME": "rev"}),
        ("annotator user roles nobody --role lead --home lungs", "annotator user list", {}),
        ("annotator user log nobody --home lungs", "annotator user list", {}),
        ("annotator user list --home lungs", "annotator user add NAME --role reviewer", {"NAME": "rev"}),
        ("annotator release --list --home lungs", "annotator release NAME", {"NAME": "none"}),
        ("annotator release --check --home lungs nothing", "annotator release --list", {}),
        ("annotator release none --home lungs", "annotator status", {}),
    ],
)
@pytest.mark.slow
def test_the_command_that_a_message_recommends_runs(
    lab: Lab, failing: str, recommended: str, filled: dict[str, str]
) -> None:
    run_line("annotator init lungs")
    run_line("annotator import figures figures.jsonl --home lungs")
    assert advice(run_line(failing).stderr) == recommended
    for placeholder, value in filled.items():
        recommended = recommended.replace(placeholder, value)
    home = "" if recommended.startswith("annotator init") else " --home lungs"
    done = run_line(recommended + home)
    if recommended == "annotator release none":
        # There is no gold yet, and the message says where to look.
        assert (done.returncode, advice(done.stderr)) == (1, "annotator status")
    else:
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_commands_of_the_page_on_own_figures_lead_to_a_release(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (REPOSITORY / "docs" / "how-to" / "run-a-campaign.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^## In a terminal\n\n```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^(?:annotator|agreement|prelabel|cd) .*$", block, re.MULTILINE)
    mine = Path("my-figures")
    mine.mkdir()
    for record in map(json.loads, Path("figures.jsonl").read_text(encoding="utf-8").splitlines()):
        image = Path(record["image"])
        shutil.copyfile(image, mine / image.name)
        (mine / image.name).with_suffix(".txt").write_text(record["caption"], encoding="utf-8")
    for line in lines:
        if line.startswith("cd "):
            monkeypatch.chdir(lab.home)
            continue
        if line.startswith("agreement report"):  # By now `annotator up` has pushed, and pulled what was submitted.
            assert run_line("annotator push").returncode == 0
            lab.submit_all()
            assert run_line("annotator pull").returncode == 0
        elif line.startswith("annotator export"):
            lab.adjudicate_all()
        # It makes the campaign, and runs until Ctrl-C.
        done = run_line(line.replace("annotator up ", "annotator init "))
        assert done.returncode == 0, (line, done.stderr)
    assert len(lines) == 11
    assert len((lab.home / "gold.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    assert (lab.home / "releases" / "001-pilot" / "manifest.json").is_file()
