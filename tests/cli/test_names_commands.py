"""One person under two spellings of a name is one annotator, by whatever way the work comes in."""

from __future__ import annotations

import json
import unicodedata
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from builders import NOON, a_decision, a_figure, an_annotation
from PIL import Image
from running import Done, run_command

from annotator.campaign.home import Home
from annotator.cli.agreement.main import group as agreement_group
from annotator.cli.campaign.main import group
from annotator.store.rows.records import ProjectLink
from panelwise.domain.campaign import Person, Role, Task
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record

DECOMPOSED = unicodedata.normalize("NFD", "Zoë")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.create(tmp_path / "home")
    with home.open_store() as store, store.transaction() as tx:
        for name in ("f1", "f2"):
            tx.figures.add(a_figure(name))
    return home


def annotator(home: Home, *arguments: object) -> Done:
    return run_command(group, "annotator", *arguments, "--home", home.path)


def names(home: Home) -> set[str]:
    with home.open_store() as store, store.read() as tx:
        return tx.names.all()


def work(path: Path, *names: str) -> Path:
    write_lines(path, [annotation_record(an_annotation(a_figure("f1"), annotator=name)) for name in names])
    return path


@pytest.mark.parametrize("other", ["Zoë", "ZOË", " zoë", DECOMPOSED.lower()])
@pytest.mark.slow
def test_work_under_another_spelling_is_that_persons_and_is_told(home: Home, tmp_path: Path, other: str) -> None:
    """Imported as another annotator's, it would agree with its own author, and the figure be unanimous."""
    annotator(home, "import", "annotations", work(tmp_path / "a.jsonl", "zoë"))
    done = annotator(home, "import", "annotations", work(tmp_path / "b.jsonl", other))
    assert (done.returncode, done.stdout) == (0, "imported 0 annotations, 1 unchanged\n")
    assert f'imported 1 record of "{other}" as "zoë": they differ only by case' in done.stderr
    assert names(home) == {"zoë"}
    with home.open_store() as store, store.read() as tx:
        assert tx.queue.entries(["f1"])["f1"].annotators == 1


def test_two_spellings_in_one_file_are_one_person(home: Home, tmp_path: Path) -> None:
    done = annotator(home, "import", "annotations", work(tmp_path / "a.jsonl", "Ann ", "ann"))
    assert 'a.jsonl:2: figure "f1" by "Ann" in phase "1" is there before' in done.stderr
    assert done.returncode == 1
    assert names(home) == {"Ann"}


@pytest.mark.parametrize(("layout", "written"), [("medicat", "gold"), ("coco", "coco")])
def test_work_whose_annotator_is_named_by_an_option_is_that_persons(
    home: Home, tmp_path: Path, layout: str, written: str
) -> None:
    with home.open_store() as store, store.transaction() as tx:
        tx.people.put(Person("ann", frozenset({Role.ANNOTATOR})))
        tx.decisions.add(a_decision(tx.figures.get("f1"), reviewer="ann", based_on=("ann",)))
    file = tmp_path / ("x.json" if layout == "coco" else "x.jsonl")
    annotator(home, "export", written, "--out", file)
    done = annotator(home, "import", "annotations", file, "--from", layout, "--annotator", "ANN")
    assert done.stdout.startswith("imported 1 annotation"), done.stderr
    assert 'imported 1 record of "ANN" as "ann"' in done.stderr
    assert names(home) == {"ann"}


def test_work_in_a_label_studio_export_is_that_persons(home: Home, tmp_path: Path) -> None:
    Image.new("RGB", (800, 600), "white").save(home.images / "f1.png")
    annotator(home, "import", "annotations", work(tmp_path / "a.jsonl", "ann"))
    annotator(home, "export", "label-studio", "--out", tmp_path / "x.json")
    (tmp_path / "x.json").write_text((tmp_path / "x.json").read_text().replace('"ann"', '"Ann"'))
    done = annotator(home, "import", "annotations", tmp_path / "x.json", "--from", "label-studio")
    assert done.stdout.startswith("imported 0 annotations, 1 unchanged"), done.stderr
    assert 'imported 1 record of "Ann" as "ann"' in done.stderr
    assert names(home) == {"ann"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("assign", "--annotators", "Ann,ben"),
        ("user", "add", "Ann", "--role", "reviewer", "--generate"),
        ("user", "rename", "ben", "ANN"),
    ],
)
@pytest.mark.slow
def test_a_new_name_that_is_another_spelling_is_refused_in_one_line(
    home: Home, arguments: tuple[str, ...]
) -> None:
    annotator(home, "assign", "--annotators", "ann,ben")
    before = names(home)
    done = annotator(home, *arguments)
    assert done.returncode == 1
    assert "differs only by case, blanks" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert names(home) == before


def test_two_spellings_in_one_assignment_are_refused(home: Home) -> None:
    done = annotator(home, "assign", "--annotators", "Ann,ann")
    assert (done.returncode, names(home)) == (1, set())
    assert 'annotators has "Ann" and "ann"' in done.stderr


def test_nobody_has_the_e_mail_of_somebody_else(home: Home) -> None:
    annotator(home, "assign", "--annotators", "ann,ben")
    assert annotator(home, "user", "email", "ann", "x@example.org").returncode == 0
    assert annotator(home, "user", "email", "ann", "X@example.org").returncode == 0
    done = annotator(home, "user", "email", "ben", "x@Example.org")
    assert done.returncode == 1
    assert '"ann" already has the e-mail X@example.org; use another one' in done.stderr


def test_a_campaign_with_two_spellings_of_a_name_is_told_how_to_join_them(home: Home) -> None:
    with home.open_store() as store, store.transaction() as tx:
        for name in ("Ann", "ann"):
            tx.annotations.add(an_annotation(tx.figures.get("f1"), annotator=name))
    told = '"Ann" and "ann" differ only by case, blanks or the Unicode form of letters, and count as 2 annotators'
    checked = annotator(home, "store", "check")
    assert f"name: people ann: {told}; run annotator user join Ann ann" in checked.stdout
    assert checked.returncode == 1
    assert f"note   people: {told}; annotator user join Ann ann" in annotator(home, "doctor", "--no-server").stdout
    done = annotator(home, "user", "rename", "Ann", "ann")
    assert "run annotator user join Ann ann to make these spellings one" in done.stderr


@pytest.mark.slow
def test_joining_makes_one_person_of_all_that_two_spellings_have(home: Home) -> None:
    with home.open_store() as store, store.transaction() as tx:
        tx.people.put(Person("Ann", frozenset({Role.REVIEWER}), "ann@example.org"), password_hash="hash")
        tx.people.put(Person("ann", frozenset({Role.ANNOTATOR})))
        tx.tasks.add([Task("f1", "Ann", "1"), Task("f2", "Ann", "1"), Task("f1", "ann", "1")])
        for number, name in enumerate(("Ann", "ann")):
            tx.annotations.add(an_annotation(tx.figures.get("f1"), annotator=name, minutes=number))
            tx.links.put_project(ProjectLink(name, "1", 7 + number, "http://ls", name))
        tx.decisions.add(a_decision(tx.figures.get("f1"), reviewer="Ann", based_on=("Ann", "ann")))
    done = annotator(home, "user", "join", "Ann", "ann")
    assert done.returncode == 0, done.stderr
    assert "Ann is now ann (" in done.stdout
    assert 'number 7 of "Ann" is no longer pulled' in done.stderr
    with home.open_store() as store, store.read() as tx:
        assert tx.names.all() == {"ann"}
        assert [person.name for person in tx.people.all()] == ["ann"]
        assert tx.people.all()[0].roles == {Role.REVIEWER, Role.ANNOTATOR}
        assert (tx.people.all()[0].email, tx.people.password_hash("ann")) == ("ann@example.org", "hash")
        assert sorted(task.figure for task in tx.tasks.all()) == ["f1", "f2"]
        assert len(tx.annotations.history("f1", "ann", "1")) == 2
        assert [each.annotator for each in tx.annotations.all()] == ["ann"]
        assert [link.project_id for link in tx.links.projects()] == [8]
        assert [each.based_on for each in tx.decisions.all()] == [("ann",)]
        assert tx.queue.entries(["f1"])["f1"].annotators == 1
    checked = annotator(home, "store", "check").stdout.splitlines()[:-1]
    assert [line for line in checked if not line.startswith("image: ")] == []


def test_a_disabled_account_brings_back_neither_its_roles_nor_its_password(home: Home) -> None:
    with home.open_store() as store, store.transaction() as tx:
        tx.people.put(Person("Ann", frozenset({Role.LEAD}), active=False), password_hash="old")
        tx.people.put(Person("ann", frozenset({Role.ANNOTATOR})))
    assert annotator(home, "user", "join", "Ann", "ann").returncode == 0
    with home.open_store() as store, store.read() as tx:
        [person] = tx.people.all()
        assert (person.roles, person.active, tx.people.password_hash("ann")) == ({Role.ANNOTATOR}, True, None)


def test_two_people_are_not_joined(home: Home) -> None:
    annotator(home, "assign", "--annotators", "ann,ben")
    done = annotator(home, "user", "join", "ann", "ben")
    assert done.returncode == 1
    assert "are no spellings of one name" in done.stderr
    assert names(home) == {"ann", "ben"}


def test_agreement_on_files_refuses_two_spellings_of_a_name(tmp_path: Path) -> None:
    file = work(tmp_path / "a.jsonl", "Ann", "ann")
    for command in (["report", file], ["consensus", file, "--out", tmp_path / "c.jsonl"]):
        done = run_command(agreement_group, "agreement", *command)
        assert done.returncode == 1, done.stdout
        assert 'a.jsonl: "Ann" and "ann" differ only by case' in done.stderr
    other = work(tmp_path / "b.jsonl", "ANN")
    done = run_command(agreement_group, "agreement", "report", work(tmp_path / "c.jsonl", "ann"), other)
    assert '"ANN" and "ann" differ only by case' in done.stderr


def test_work_saved_in_the_future_is_refused_and_the_rest_comes_in(home: Home, tmp_path: Path) -> None:
    """It would stay the newest for as long as that, whatever is handed in meanwhile."""
    soon, later = (datetime.now(UTC) + timedelta(hours=hours) for hours in (20, 30))
    write_lines(
        tmp_path / "a.jsonl",
        [
            annotation_record(an_annotation(a_figure(figure), minutes=(moment - NOON) / timedelta(minutes=1)))
            for figure, moment in (("f1", later), ("f2", soon))
        ],
    )
    done = annotator(home, "import", "annotations", tmp_path / "a.jsonl")
    assert done.returncode == 1
    assert "imported 1 annotation" in done.stdout
    assert done.stderr.startswith(f"{tmp_path}/a.jsonl:1: saved_at {later:%Y-%m-%dT%H:%MZ} is in the future")


HOSTILE = "a\x1b]0;owned\x07b\x9b31m\u202ec\rd"


@pytest.mark.slow
def test_names_cannot_steer_the_terminal_whatever_command_prints_them(home: Home, tmp_path: Path) -> None:
    with home.open_store() as store, store.transaction() as tx:
        tx.people.put(Person(HOSTILE, frozenset({Role.ANNOTATOR}), HOSTILE))
        tx.tasks.add([Task("f1", HOSTILE, "1"), Task("f2", HOSTILE, "1")])
        for name in (HOSTILE, "ben"):
            tx.annotations.add(an_annotation(tx.figures.get("f1"), annotator=name))
        tx.decisions.add(a_decision(tx.figures.get("f1"), reviewer=HOSTILE, note=HOSTILE))
    settings = home.path / "campaign.toml"
    settings.write_text(settings.read_text().replace('name = "home"', f"name = {json.dumps(HOSTILE)}"))
    commands = [
        *(
            ("status",),
            ("status", "--json"),
            ("user", "list"),
            ("user", "log"),
            ("doctor", "--no-server"),
            ("check",),
        ),
        *(
            ("store", "check"),
            ("assign", "--annotators", "ben"),
            ("export", "gold", "--out", tmp_path / "g.jsonl"),
        ),
        *(("release", "pilot"), ("release", "--list"), ("user", "rename", HOSTILE, "x y")),
    ]
    shown = 0
    for command in commands:
        done = annotator(home, *command)
        assert "Traceback" not in done.stderr
        for text in (done.stdout, done.stderr):
            assert not set(text) & set("\x1b\x07\x9b\u202e\r"), command
        shown += "\\u001b]0;owned" in done.stdout or "\\x1b]0;owned" in done.stdout
        if command == ("status", "--json"):
            found = json.loads(done.stdout)
            assert HOSTILE in {row["annotator"] for row in found["annotators"]}
    assert shown >= 4
    for arguments in (("report", home.path), ("report", home.path, "--format", "csv")):
        done = run_command(agreement_group, "agreement", *arguments)
        assert not set(done.stdout + done.stderr) & set("\x1b\x07\x9b\u202e"), arguments
