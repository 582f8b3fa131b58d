from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from builders import a_decision, a_figure, a_prediction, an_annotation
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from annotator.accounts import people as accounts
from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import SETTING, Names, Pseudonyms, naming
from annotator.cli.campaign.user import command as user_command
from annotator.gold.records import Exported, annotation_records, gold_records
from annotator.gold.release import make_release
from annotator.label_studio.payload.figures import annotation_payload
from annotator.operations.rename_person import finish_scrubbing, pseudonym_of, rename, rename_projects
from annotator.store.store import Store
from annotator.sync import pull as pulling
from annotator.sync import push as pushing
from panelwise.domain.campaign import Person, Role, Task
from panelwise.domain.errors import AnnotatorError, StoreError, SyncError
from tests.label_studio.fake import FakeServer

SECRET = b"s" * 64
names = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)


@given(st.lists(names, unique=True, max_size=30))
def test_pseudonyms_are_short_stable_and_nobody_shares_one(people: list[str]) -> None:
    one, two = Pseudonyms(SECRET, {}), Pseudonyms(SECRET, {})
    made = {name: one.of(name) for name in people}
    assert {name: two.of(name) for name in reversed(people)} == made
    assert len(set(made.values())) == len(people)
    for pseudonym in made.values():
        assert re.fullmatch(r"p-[a-z2-7]{10}", pseudonym)


@given(names, st.binary(min_size=32, max_size=40))
def test_another_secret_makes_another_pseudonym(name: str, secret: bytes) -> None:
    assert Pseudonyms(secret, {}).of(name) != Pseudonyms(SECRET, {}).of(name)


def test_a_pseudonym_that_is_taken_is_not_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.campaign.pseudonyms.LENGTH", 1)
    few = Pseudonyms(SECRET, {})
    assert len({few.of(str(number)) for number in range(25)}) == 25
    first = Pseudonyms(SECRET, {}).of("ruth")
    assert Pseudonyms(SECRET, {"someone": first}).of("ruth") != first


def test_models_and_nobody_stand_for_themselves(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        tx.predictions.put(a_prediction())
        tx.predictions.put(a_prediction(model_version="ann1"))
        tx.annotations.add(an_annotation())
    with store.read() as tx:
        of = naming(home, tx, Names.PSEUDONYMS)
        assert (of(""), of("classic-1")) == ("", "classic-1")
        assert of("ann1").startswith("p-")
        assert naming(home, tx, Names.REAL)("ann1") == "ann1"


@pytest.fixture
def worked(home: Home, store: Store) -> Store:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        for name in ("wilhelmina", "ann2"):
            tx.people.put(Person(name, frozenset({Role.ANNOTATOR}), f"{name}@example.org"))
            tx.tasks.add([Task("f1", name, "1")])
            tx.annotations.add(an_annotation(annotator=name))
        tx.decisions.add(a_decision(reviewer="wilhelmina", based_on=("wilhelmina", "ann2"), note="by wilhelmina"))
    return store


def exported(home: Home, store: Store, names: Names = Names.PSEUDONYMS) -> tuple[list[object], list[object]]:
    gold = list(gold_records(home, store, Exported(), names=names))
    return gold, list(annotation_records(home, store, Exported(), names=names))


def test_exports_bear_the_names_asked_for_and_are_otherwise_the_same(home: Home, worked: Store) -> None:
    (gold, annotations), (real_gold, real_annotations) = exported(home, worked), exported(home, worked, Names.REAL)
    text = json.dumps([gold, annotations])
    assert "ann2" not in text
    assert text.count("wilhelmina") == 1  # the note
    pseudonym = pseudonym_of(home, worked, "wilhelmina")
    assert gold[0]["provenance"]["reviewer"] == pseudonym
    assert {each["annotator"] for each in annotations} >= {pseudonym}
    for each in (*gold, *real_gold):
        each["provenance"].update(reviewer="", based_on=[])
    for each in (*annotations, *real_annotations):
        each["annotator"] = ""
    assert (gold, annotations) == (real_gold, real_annotations)


def test_what_an_export_cannot_hide_or_hold_is_told(home: Home, worked: Store) -> None:
    with worked.transaction() as tx:
        tx.annotations.add(an_annotation(annotator="ann2", subfigures=(), minutes=5))
        tx.decisions.add(a_decision(version=2, note="by wilhelmina", seconds=4.5))
    made = Exported()
    list(gold_records(home, worked, made, names=Names.PSEUDONYMS))
    assert made.warnings == [
        "notes and comments are written as they are (records that have some: 1)",
        "names of people stand in those of f1 (1 in all)",
    ]
    assert list(made.losses.lines()) == [
        "gold.jsonl cannot represent decisions that a later one replaced: 1 left out; the store keeps them",
        "gold.jsonl cannot represent the time that a decision took: 1 left out; the store keeps them",
    ]
    made = Exported()
    list(annotation_records(home, worked, made))
    assert list(made.losses.lines()) == [
        "annotations.jsonl cannot represent images, references and sources of figures: 1 left out; "
        "`annotator export figures` writes them",
        "annotations.jsonl cannot represent annotations replaced by later ones: 1 left out; the store keeps them",
    ]


@pytest.mark.slow
def test_a_person_keeps_their_pseudonym_whatever_they_are_called(home: Home, worked: Store) -> None:
    before = exported(home, worked)
    rename(home, worked, "wilhelmina", "mina")
    assert exported(home, worked) == before
    rename(home, worked, "mina", pseudonym_of(home, worked, "mina"))
    assert exported(home, worked) == before
    with worked.transaction() as tx:
        tx.people.put(Person("wilhelmina", frozenset({Role.ANNOTATOR})))
    assert pseudonym_of(home, worked, "wilhelmina") not in json.dumps(before)


def test_to_forget_somebody_leaves_no_byte_of_the_name_in_the_store(home: Home, worked: Store) -> None:
    with worked.transaction() as tx:
        tx.decisions.add(a_decision(version=2, reviewer="ann2", based_on=()))
    file = home.path / "store.sqlite"
    assert b"wilhelmina" in _bytes(file)
    done = rename(home, worked, "wilhelmina", "p-x", forget=True)
    assert done.failed == []
    assert done.rows == {"people": 1, "tasks": 1, "annotations": 1, "decisions": 2, "sign_ins": 1}
    [line] = done.left
    assert line.startswith('"wilhelmina" remains in notes or comments of decisions on f1')
    with worked.read() as tx:
        assert tx.people.get("p-x") == Person("p-x", frozenset({Role.ANNOTATOR}), active=False)
    assert _bytes(file).count(b"wilhelmina") == 1  # the note, which was told


def test_a_renaming_killed_before_the_files_were_rewritten_is_finished_by_the_next(
    home: Home, worked: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies() -> None:
        raise KeyboardInterrupt

    with worked.transaction() as tx:
        tx.decisions.add(a_decision(version=2, reviewer="ann2", based_on=()))
    with monkeypatch.context() as patch:
        patch.setattr(worked, "scrub", dies)
        with pytest.raises(KeyboardInterrupt):
            rename(home, worked, "wilhelmina", "p-x")
    file = home.path / "store.sqlite"
    assert _bytes(file).count(b"wilhelmina") > 2
    done = CliRunner().invoke(user_command, ["pseudonym", "wilhelmina", "--home", str(home.path)])
    assert "finished an earlier renaming" in done.stderr
    assert isinstance(done.exception, StoreError)  # nobody is called that any more
    worked.close()
    assert _bytes(file).count(b"wilhelmina") == 2  # e-mail and note
    assert not finish_scrubbing(worked)


@pytest.mark.slow
def test_whoever_is_signed_in_must_sign_in_again_under_the_new_name(home: Home, store: Store) -> None:
    accounts.add_person(store, "ruth", roles=[Role.REVIEWER], password="correct horse")
    rename(home, store, "ruth", "ruth.miller")
    assert accounts.signed_in(store, "ruth") is None
    assert accounts.signed_in(store, "ruth.miller") is not None
    rename(home, store, "ruth.miller", "ruth.miller", forget=True)
    assert accounts.signed_in(store, "ruth.miller") is None


def test_renaming_to_the_same_name_says_that_nothing_changed(home: Home, store: Store) -> None:
    accounts.add_person(store, "ruth", roles=[Role.REVIEWER])
    done = CliRunner().invoke(user_command, ["rename", "ruth", "ruth", "--home", str(home.path)])
    assert (done.exit_code, done.stdout) == (0, "ruth already has that name; nothing changed\n")


def test_nobody_and_a_taken_name_change_nothing(home: Home, worked: Store) -> None:
    before = exported(home, worked)
    for old, new in (("nobody", "x"), ("wilhelmina", "ann2")):
        with pytest.raises(AnnotatorError):
            rename(home, worked, old, new)
    with pytest.raises(StoreError, match="no person"):
        pseudonym_of(home, worked, "nobody")
    assert exported(home, worked) == before
    with worked.read() as tx:
        assert tx.settings.get(SETTING) is None


def test_releases_and_files_that_still_bear_the_name_are_told(home: Home, worked: Store) -> None:
    real = make_release(home, worked, "real", names=Names.REAL).release.path
    with worked.transaction() as tx:
        tx.decisions.add(a_decision(version=2, reviewer="ann2", based_on=("wilhelmina",)))
    make_release(home, worked, "hidden")
    (home.path / "gold.jsonl").write_text('{"reviewer": "wilhelmina"}', encoding="utf-8")
    (home.path / "other.jsonl").write_text('{"reviewer": "wilhelminas"}', encoding="utf-8")
    done = rename(home, worked, "wilhelmina", "p-x")
    assert [line.partition(":")[0] for line in done.left[2:]] == [str(real), str(home.path / "gold.jsonl")]


def test_a_release_under_pseudonyms_whose_notes_bear_the_name_is_told(home: Home, worked: Store) -> None:
    hidden = make_release(home, worked, "hidden").release.path
    [line] = [each for each in rename(home, worked, "wilhelmina", "p-x").left if each.startswith(str(hidden))]
    assert 'contains "wilhelmina" in a note, comment or caption' in line


# -- Label Studio -------------------------------------------------------------------------------------------------


@pytest.fixture
def pushed(home: Home, worked: Store) -> FakeServer:
    """Both have a figure that they have not done yet."""
    with worked.transaction() as tx:
        tx.figures.add(a_figure("later", image="images/later.png"))
        tx.tasks.add([Task("later", name, "1") for name in ("ann2", "wilhelmina")])
    server = FakeServer()
    list(pushing.push(home, worked, server))
    return server


def submit(store: Store, server: FakeServer, annotator: str) -> None:
    with store.read() as tx:
        [link] = tx.links.all(annotator=annotator)
    server.add_annotation(link.task_id, annotation_payload(an_annotation(subfigures=())))


def pulled(home: Home, store: Store, server: FakeServer) -> dict[str, int]:
    steps = list(pulling.pull(home, store, server))
    assert [line for step in steps for line in step.problems] == []
    return {step.annotator: step.added for step in steps}


def texts(server: FakeServer) -> str:
    return "\n".join(f"{each.title}\n{each.description}" for each in server.projects())


def test_projects_are_renamed_on_the_server_and_pulls_go_on(home: Home, worked: Store, pushed: FakeServer) -> None:
    rename(home, worked, "wilhelmina", "p-x")
    assert rename_projects(worked, pushed, "wilhelmina", "p-x") == 1
    assert "wilhelmina" not in texts(pushed)
    assert "p-x · phase 1" in texts(pushed)
    submit(worked, pushed, "p-x")
    assert pulled(home, worked, pushed) == {"ann2": 0, "p-x": 1}
    assert len(pushed.projects()) == 2
    assert rename_projects(worked, pushed, "wilhelmina", "p-x") == 0


@pytest.mark.slow
def test_pulls_go_on_while_the_server_knows_the_old_name_and_a_push_renames_it(
    home: Home, worked: Store, pushed: FakeServer
) -> None:
    rename(home, worked, "wilhelmina", "p-x")
    submit(worked, pushed, "p-x")
    assert pulled(home, worked, pushed) == {"ann2": 0, "p-x": 1}
    assert "wilhelmina" in texts(pushed)
    list(pushing.push(home, worked, pushed))
    assert "wilhelmina" not in texts(pushed)
    assert len(pushed.projects()) == 2
    with worked.read() as tx:
        assert [link.title for link in tx.links.projects()] == ["ann2 · phase 1", "p-x · phase 1"]
    assert pulled(home, worked, pushed) == {"ann2": 0, "p-x": 0}


@pytest.mark.slow
def test_a_title_that_somebody_edited_is_left_and_the_mark_is_not(
    home: Home, worked: Store, pushed: FakeServer
) -> None:
    [theirs] = [each for each in pushed.projects() if "wilhelmina" in each.title]
    pushed.set_title(theirs.id, "Batch of May")
    pushed.set_description(theirs.id, f"For the pilot.\n{theirs.description}")
    rename(home, worked, "wilhelmina", "p-x")
    assert rename_projects(worked, pushed, "wilhelmina", "p-x") == 1
    [now] = [each for each in pushed.projects() if each.id == theirs.id]
    assert now.title == "Batch of May"
    assert now.description.startswith("For the pilot.\nPanelwise campaign ")
    assert '"p-x"' in now.description
    assert "wilhelmina" not in now.description


def test_a_project_of_another_annotator_is_not_taken_for_that_of_a_renamed_one(
    home: Home, worked: Store, pushed: FakeServer
) -> None:
    """Ids are given out again: the link of one may lead to a project of another of the same campaign."""
    rename(home, worked, "wilhelmina", "p-x")
    with worked.transaction() as tx:
        [mine], [other] = tx.links.projects(annotator="p-x"), tx.links.projects(annotator="ann2")
        pushed.delete_project(mine.project_id)
        tx.links.put_project(type(mine)("p-x", "1", other.project_id, mine.server_url, mine.title))
    [step] = [each for each in pulling.pull(home, worked, pushed) if each.annotator == "p-x"]
    assert step.project_id is None
    assert "is gone" in step.problems[0]


def test_a_later_namesake_does_not_get_the_project_of_a_renamed_person(
    home: Home, worked: Store, pushed: FakeServer
) -> None:
    submit(worked, pushed, "wilhelmina")
    [theirs] = [each for each in pushed.projects() if "wilhelmina" in each.title]
    rename(home, worked, "wilhelmina", "p-x")  # and Label Studio doesn't run, so that its mark has the old name
    with worked.transaction() as tx:
        tx.people.put(Person("wilhelmina", frozenset({Role.ANNOTATOR}), "another@example.org"))
        [task] = tx.tasks.all(annotator="p-x", phase="1")[:1]
        tx.tasks.add([replace(task, annotator="wilhelmina")])
    [step] = pushing.push(home, worked, pushed, annotators=["wilhelmina"])
    assert step.project_id != theirs.id
    assert pulled(home, worked, pushed) == {"ann2": 0, "p-x": 1, "wilhelmina": 0}
    with worked.read() as tx:
        [link] = tx.links.projects(annotator="p-x")
        assert link.project_id == theirs.id
        assert list(tx.annotations.all(annotator="wilhelmina")) == []


def test_a_pull_under_way_does_not_bring_the_old_name_back(
    home: Home, worked: Store, pushed: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(worked, pushed, "wilhelmina")
    tasks = pushed.tasks

    def renaming(project_id: int) -> object:
        with worked.read() as tx:
            now = "wilhelmina" in tx.names.all()
        if now and any("wilhelmina" in each.title for each in pushed.projects() if each.id == project_id):
            rename(home, worked, "wilhelmina", "p-x")
        return tasks(project_id)

    monkeypatch.setattr(pushed, "tasks", renaming)
    with pytest.raises(SyncError, match='is called "wilhelmina" any more; do that again'):
        list(pulling.pull(home, worked, pushed))
    assert pulled(home, worked, pushed) == {"ann2": 0, "p-x": 1}
    with worked.read() as tx:
        assert "wilhelmina" not in tx.names.all()


@pytest.mark.slow
def test_a_push_under_way_does_not_bring_the_old_name_back(
    home: Home, worked: Store, pushed: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    projects = pushed.projects

    def renaming() -> object:
        with worked.read() as tx:
            now = "wilhelmina" in tx.names.all()
        if now:
            rename(home, worked, "wilhelmina", "p-x")
        return projects()

    monkeypatch.setattr(pushed, "projects", renaming)
    with pytest.raises(SyncError, match='is called "wilhelmina" any more; do that again'):
        list(pushing.push(home, worked, pushed, annotators=["wilhelmina"]))
    with worked.read() as tx:
        assert "wilhelmina" not in tx.names.all()


def _bytes(file: Path) -> bytes:
    return b"".join(each.read_bytes() for each in sorted(file.parent.glob(f"{file.name}*")))
