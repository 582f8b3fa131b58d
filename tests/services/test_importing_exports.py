"""Exports as Label Studio 1.23.2 writes them: shapes taken from the real one's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import NOON, a_decision, a_figure, a_subfigure, an_annotation, annotations
from hypothesis import HealthCheck, given, settings

from annotator.consensus.gold_rule import from_decision
from annotator.imports.exports_of_others import import_from, read_label_studio
from annotator.label_studio.payload.figures import annotation_payload, task_data
from annotator.store.rows.records import Link
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Campaign, Person, Phase, Role
from panelwise.domain.errors import FormatError
from panelwise.files.json_arrays import write_records
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import UNKNOWN_TIME, annotation_record
from panelwise.formats.label_studio_export import note_losses, task_record
from panelwise.formats.losses import Losses
from panelwise.formats.medicat import gold_record

CAMPAIGN = Campaign("c", (Phase("1"), Phase("2")), ("A", "B"))


def a_record(annotation: Annotation, number: int = 1, by: object = 1, **change: Any) -> dict[str, Any]:
    return {
        **{"id": number, "completed_by": by, **annotation_payload(annotation)},
        **{"created_at": annotation.saved_at.isoformat(), "updated_at": annotation.saved_at.isoformat()},
        **{"parent_prediction": None, "prediction": {"id": 1, "result": []}, "task": 5, "project": 3, **change},
    }


def a_task(*records: dict[str, Any], figure: str = "f1", number: int = 5, **change: Any) -> dict[str, Any]:
    """A task of the full export."""
    data = task_data(a_figure(figure), seed="classic-1")
    return {
        **{"id": number, "annotations": list(records), "drafts": [], "predictions": [1], "data": data, "meta": {}},
        **{"project": 3, **change},
    }


def minimal(task: dict[str, Any], record: dict[str, Any] | None) -> dict[str, Any]:
    """What the minimal export makes of a task and one annotation."""
    made: dict[str, Any] = {**task["data"], "id": task["id"]}
    for region in (record or {"result": []})["result"]:
        value = dict(region["value"])
        for key in ("original_width", "original_height"):
            if key in region:
                value[key] = region[key]
        made.setdefault(region["from_name"], []).append(value)
    if "status" in made:
        made["status"] = made["status"][0]["choices"][0]
    keys = ("created_at", "updated_at", "lead_time")
    author = None if record is None else record["completed_by"]
    return {
        **made,
        "annotator": author["email"] if isinstance(author, dict) else author,
        "annotation_id": None if record is None else record["id"],
        **{key: None if record is None else record.get(key) for key in keys},
    }


def brought(store: Store, tmp_path: Path, tasks: list[Any], **more: str) -> tuple[list[Annotation], Problems]:
    """What is in the store after an import of these tasks."""
    with store.transaction() as tx:
        for name in ("f1", "f2"):
            tx.figures.add(a_figure(name))
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    problems = Problems()
    list(import_from("label-studio", store, CAMPAIGN, tmp_path / "export.json", problems, **more))
    with store.read() as tx:
        return list(tx.annotations.all()), problems


def known(store: Store) -> None:
    """A person with an e-mail, and a task pushed for another."""
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
        tx.people.put(Person("Zoë", frozenset({Role.ANNOTATOR}), "zoe@example.org"))
        tx.links.put(Link("ann2", "2", 3, "f1", 5))


def test_work_is_whose_e_mail_it_bears(store: Store, tmp_path: Path) -> None:
    known(store)
    record = a_record(an_annotation(seconds=12.5), by={"id": 4, "email": "ZOE@example.org"})
    (found,), problems = brought(store, tmp_path, [a_task(record)], phase="1")
    assert found == an_annotation(annotator="Zoë", seconds=12.5)
    assert problems.lines == []
    assert problems.notes == [f"{tmp_path / 'export.json'}: skipped 1 prediction"]


def test_without_an_e_mail_it_is_of_the_project_that_the_task_was_pushed_to(store: Store, tmp_path: Path) -> None:
    known(store)
    (found,), problems = brought(store, tmp_path, [a_task(a_record(an_annotation()))])
    assert (found.annotator, found.phase) == ("ann2", "2")
    assert problems.lines == []


def test_work_of_several_accounts_in_one_project_is_the_latest(store: Store, tmp_path: Path) -> None:
    known(store)
    later = an_annotation(minutes=5, subfigures=(a_subfigure("A"),))
    task = a_task(a_record(later, 2, by=9), a_record(an_annotation(), 1, by=1))
    (found,), problems = brought(store, tmp_path, [task])
    assert found.subfigures == later.subfigures
    assert "several accounts, the latest counts" in problems.notes[0]


def test_work_of_nobody_known_is_named_and_the_rest_comes_in(store: Store, tmp_path: Path) -> None:
    known(store)
    tasks = [
        a_task(a_record(an_annotation(a_figure("f2"))), figure="f2", number=6),
        a_task(a_record(an_annotation(a_figure("f2")), by={"email": "who@example.org"}), figure="f2", number=7),
        a_task(a_record(an_annotation())),
    ]
    found, problems = brought(store, tmp_path, tasks)
    assert [each.annotator for each in found] == ["ann2"]
    assert "unknown account 1" in problems.lines[0]
    assert "unknown account who@example.org" in problems.lines[1]
    found, problems = brought(store, tmp_path, tasks[:1], annotator="ann9", phase="2")
    assert {each.annotator for each in found} == {"ann2", "ann9"}


def test_of_which_phase_it_is_must_be_known(store: Store, tmp_path: Path) -> None:
    found, problems = brought(store, tmp_path, [a_task(a_record(an_annotation()))], annotator="a")
    assert found == []
    assert "name it with --phase" in problems.lines[0]


def test_skipped_rejected_and_unfinished_work(store: Store, tmp_path: Path) -> None:
    skipped = an_annotation(status=Status.IGNORED, subfigures=())
    rejected = an_annotation(a_figure("f2"), status=Status.REJECTED, subfigures=())
    tasks = [
        a_task(a_record(skipped)),
        a_task(a_record(rejected), figure="f2"),
        a_task(figure="f2", drafts=[{"id": 1, "result": []}]),
    ]
    found, problems = brought(store, tmp_path, tasks, annotator="a", phase="1")
    assert [each.status for each in found] == [Status.IGNORED, Status.REJECTED]
    assert problems.lines == []
    for what in ("1 task without a submission", "1 draft, not submitted", "3 predictions"):
        assert any(what in note for note in problems.notes)


@pytest.mark.parametrize("result", ["[]", None, {"0": {}}])
def test_a_task_whose_work_cannot_be_read_is_not_said_to_be_without_a_submission(
    store: Store, tmp_path: Path, result: object
) -> None:
    broken = a_record(an_annotation()) | {"result": result}
    found, problems = brought(store, tmp_path, [a_task(broken)], annotator="ann", phase="1")
    assert found == []
    assert len(problems.lines) == 1
    assert not any("without a submission" in note for note in problems.notes)


def test_the_minimal_export_brings_the_same_work(store: Store, tmp_path: Path) -> None:
    record = a_record(an_annotation(seconds=3.0), by={"email": "zoe@example.org"})
    known(store)
    rejected = a_record(an_annotation(a_figure("f2"), status=Status.REJECTED, subfigures=()), 2, by=4)
    rows = [minimal(a_task(), record), minimal(a_task(), None), minimal(a_task(figure="f2"), rejected)]
    (found,), problems = brought(store, tmp_path, rows, phase="1")
    assert found == an_annotation(annotator="Zoë", seconds=3.0, seeded_by="classic-1")
    assert len(problems.lines) == 1
    assert "unknown account 4" in problems.lines[0]
    assert "skipped 1 task without a submission" in problems.notes[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda task: task.pop("data"), '"data.source_id" is missing'),
        (lambda task: task.update(annotations="x"), '"annotations" holds a text'),
        (lambda task: task["annotations"][0].update(result=3), '"annotations[0].result" holds a number'),
        (lambda task: task["data"].update(caption="another"), "its caption in Label Studio is not the stored one"),
        (lambda task: task["data"].update(source_id="f9"), 'figure "f9" is not in the store'),
        (lambda task: task["annotations"][0].update(updated_at="soon"), "updated_at is no time"),
        (lambda task: task["annotations"][0]["result"][0].update(original_width=3), "was the image replaced"),
        (lambda task: task["annotations"][0]["result"][0]["value"].update(x=70), "leaves the image"),
        (
            lambda task: task["annotations"][0]["result"][2]["value"].update(text="other"),
            "was the caption replaced",
        ),
        (lambda task: task["annotations"][0]["result"][0]["value"].update(width=0), "no area"),
        (lambda task: task["annotations"][0]["result"][0].update(from_name="other"), 'control "other"'),
        (
            lambda task: task.update(meta={"panelwise": {"annotator": 3}}),
            '"meta.panelwise.annotator" holds a number',
        ),
    ],
)
def test_what_does_not_fit_is_named_with_its_line(
    store: Store, tmp_path: Path, spoil: Any, complaint: str
) -> None:
    bad = a_task(a_record(an_annotation()))
    spoil(bad)
    tasks = [bad, a_task(a_record(an_annotation(a_figure("f2"))), figure="f2")]
    found, problems = brought(store, tmp_path, tasks, annotator="a", phase="1")
    assert "f2" in {each.figure.id for each in found}
    assert complaint in problems.lines[0]
    assert problems.lines[0].startswith(f"{tmp_path / 'export.json'}:1: ")


def test_an_exported_campaign_comes_in_again_and_twice_changes_nothing(store: Store, tmp_path: Path) -> None:
    work = [
        an_annotation(annotator="a", seeded_by="classic-1", guideline="v2", seconds=2.0),
        an_annotation(annotator="b", status=Status.REJECTED, subfigures=()),
    ]
    tasks = [task_record(task_data(each.figure), annotation_payload(each), each) for each in work]
    found, problems = brought(store, tmp_path, tasks)
    assert found == work
    assert problems.lines == []
    again, _ = brought(store, tmp_path, tasks)
    assert again == found


@settings(suppress_health_check=list(HealthCheck))
@given(annotations())
@pytest.mark.slow
def test_work_reads_back_from_its_tasks(tmp_path_factory: pytest.TempPathFactory, annotation: Annotation) -> None:
    file = tmp_path_factory.mktemp("e") / "tasks.json"
    data = task_data(annotation.figure)
    write_records(file, [task_record(data, annotation_payload(annotation), annotation)], array=True)
    problems = Problems()
    (back,) = read_label_studio(file, problems)
    assert problems.lines == []
    for key in ("annotator", "phase", "saved_at", "seeded_by", "guideline", "seconds", "items"):
        assert getattr(back, key) == getattr(annotation, key)
    assert back.status is annotation.status
    assert back.figure.caption == annotation.figure.caption
    for ours, theirs in zip(annotation.subfigures, back.subfigures, strict=True):
        assert (ours.label, ours.subcaption) == (theirs.label, theirs.subcaption)
        assert ours.box.as_list() == pytest.approx(theirs.box.as_list(), abs=1e-3)


def test_without_a_campaign_figures_are_as_the_tasks_show_them(tmp_path: Path) -> None:
    bare = an_annotation(annotator="b", subfigures=())
    tasks = [a_task(a_record(an_annotation(), by={"email": "x@y"})), a_task(a_record(bare, by=4))]
    tasks.append(a_task(a_record(an_annotation(a_figure("f2"), subfigures=())), figure="f2"))
    (tmp_path / "e.json").write_text(json.dumps(tasks))
    problems = Problems()
    found = list(read_label_studio(tmp_path / "e.json", problems))
    assert [each.annotator for each in found] == ["x@y", "account 4"]
    assert {(each.figure.width, each.figure.height) for each in found} == {(800, 600)}
    assert all(each.saved_at == NOON for each in found)
    assert 'figure "f2" is accepted without a box' in problems.lines[0]


@pytest.mark.parametrize(
    ("layout", "records", "complaint"),
    [
        ("jsonl", [gold_record(from_decision(a_decision()))], "import it with --from medicat"),
        ("medicat", [annotation_record(an_annotation())], "import it with --from jsonl"),
        ("jsonl", None, "import it with --from label-studio"),
    ],
)
def test_a_file_of_another_layout_is_refused_in_a_line(
    store: Store, tmp_path: Path, layout: str, records: list[Any] | None, complaint: str
) -> None:
    write_records(tmp_path / "file", records or [a_task(a_record(an_annotation()))], array=records is None)
    with pytest.raises(FormatError, match=complaint):
        list(import_from(layout, store, CAMPAIGN, tmp_path / "file", Problems()))


def test_keys_that_an_annotation_has_no_place_for_are_told(store: Store, tmp_path: Path) -> None:
    known(store)
    record = annotation_record(an_annotation())
    record["subfigures"][0]["colour"] = "red"
    write_records(tmp_path / "a.jsonl", [{**record, "confidence": 3}], array=False)
    problems = Problems()
    list(import_from("jsonl", store, CAMPAIGN, tmp_path / "a.jsonl", problems))
    assert problems.lines == []
    (note,) = problems.notes
    assert '"confidence" (1 record), "subfigures.colour" (1 record); left out' in note


def test_what_an_export_holds_beside_work_is_told_when_it_is_measured_too(tmp_path: Path) -> None:
    write_records(tmp_path / "e.json", [a_task(number=4), a_task(a_record(an_annotation()))], array=True)
    problems = Problems()
    assert len(list(read_label_studio(tmp_path / "e.json", problems))) == 1
    assert "skipped 1 task without a submission" in problems.notes[0]


def test_tokens_of_boxes_that_share_a_label_are_told_as_lost(tmp_path: Path) -> None:
    parts = (a_subfigure("A", tokens=(4,)), a_subfigure("A", tokens=(6,)), a_subfigure("B", tokens=(10,)))
    losses = Losses("Label Studio")
    note_losses(an_annotation(subfigures=parts), losses)
    assert losses.count == 2
    assert any("boxes under one label" in line for line in losses.lines())


def test_one_s_own_export_is_known_for_the_same_work(store: Store, tmp_path: Path) -> None:
    figure = replace(a_figure("f1"), width=1103, height=1401)
    parts = (a_subfigure("A", box=(9, 8, 1090, 683)), a_subfigure("B", box=(348.25, 816, 995, 1392)))
    work = an_annotation(figure, subfigures=parts)
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(work)
    task = task_record(task_data(figure), annotation_payload(work), work)
    write_records(tmp_path / "e.json", [task], array=True)
    *_, tally = import_from("label-studio", store, CAMPAIGN, tmp_path / "e.json", Problems())
    assert (tally.added, tally.unchanged) == (0, 1)


def two_accounts(tmp_path: Path, *, tiny: bool) -> Path:
    """An export with a figure by two accounts, in full or as JSON_MIN."""
    records = [
        a_record(an_annotation(minutes=at), at + 1, by={"email": f"{name}@example.org"})
        for at, name in enumerate(("x", "y"))
    ]
    tasks = [minimal(a_task(), each) for each in records] if tiny else [a_task(*records)]
    (tmp_path / "e.json").write_text(json.dumps(tasks))
    return tmp_path / "e.json"


@pytest.mark.parametrize("tiny", [False, True])
def test_work_of_two_accounts_is_never_one_persons(store: Store, tmp_path: Path, tiny: bool) -> None:
    file = two_accounts(tmp_path, tiny=tiny)
    known(store)
    more = {"annotator": "ann", "phase": "1"}
    with pytest.raises(
        FormatError, match=r"2 annotators \(x@example.org, y@example.org\).*or leave out --annotator"
    ):
        list(import_from("label-studio", store, CAMPAIGN, file, Problems(), **more))
    problems = Problems()
    list(import_from("label-studio", store, CAMPAIGN, file, problems, account="y@example.org", **more))
    with store.read() as tx:
        [found] = tx.annotations.all()
    assert (found.annotator, found.saved_at) == ("ann", an_annotation(minutes=1).saved_at)
    assert problems.count == 0


def test_of_two_accounts_in_one_project_a_minimal_export_keeps_the_first_and_names_the_other(
    store: Store, tmp_path: Path
) -> None:
    known(store)
    problems = Problems()
    list(import_from("label-studio", store, CAMPAIGN, two_accounts(tmp_path, tiny=True), problems))
    with store.read() as tx:
        [found] = tx.annotations.all()
    assert found.saved_at == an_annotation().saved_at
    [line] = problems.lines
    assert 'is work of "x@example.org" and of "y@example.org"; kept the first, choose one with --account' in line


def test_an_account_that_submits_a_figure_again_replaces_its_own_work_with_a_note(
    store: Store, tmp_path: Path
) -> None:
    records = [a_record(an_annotation(minutes=at, subfigures=(a_subfigure("AB"[at]),)), at + 1) for at in (0, 1)]
    (found,), problems = brought(store, tmp_path, [a_task(*records)], annotator="ann", phase="1")
    assert [each.label for each in found.subfigures] == ["B"]
    assert problems.lines == []
    assert 'figure "f1" by "ann" in phase "1" is there before' in problems.notes[0]
    assert "the one saved last counts" in problems.notes[0]


def test_repeated_tasks_and_annotations_are_named_in_one_line_too(store: Store, tmp_path: Path) -> None:
    one, other = a_record(an_annotation()), a_record(an_annotation(a_figure("f2")))
    tasks = [a_task(one), a_task(one), a_task(other, figure="f2", number=6)]
    found, problems = brought(store, tmp_path, tasks, annotator="ann", phase="1")
    assert [each.figure.id for each in found] == ["f1", "f2"]
    [line] = problems.lines
    first = f"{tmp_path / 'export.json'}:1: object 1"
    assert line.endswith(f"annotation 1 is there before ({first}); kept the first")
    assert [note.split(": ", 2)[2] for note in problems.notes[:2]] == [
        f"task 5 is there before ({first}); read both",
        f"annotation 1 is there before ({first}); read both",
    ]
    assert not any("without a submission" in note for note in problems.notes)


def test_controls_that_the_minimal_export_names_otherwise_are_no_data_of_the_task(
    store: Store, tmp_path: Path
) -> None:
    row = minimal(a_task(), a_record(an_annotation()))
    row["panel"], row["words"] = row.pop("subfig"), row.pop("subcap")
    found, problems = brought(store, tmp_path, [row], annotator="ann", phase="1")
    assert found == []
    assert 'left out, since none of it could be read: a region of control "panel"' in problems.lines[0]


def test_a_choice_of_another_control_of_the_minimal_export_is_no_empty_work(store: Store, tmp_path: Path) -> None:
    row = minimal(a_task(), a_record(an_annotation(subfigures=())))
    row.pop("status", None)
    nothing, named = brought(store, tmp_path, [{**row, "quality": "blurred"}], annotator="ann", phase="1")
    assert nothing == []
    assert '"quality" may be an annotator\'s work, or data of the task' in named.lines[0]
    empty, problems = brought(store, tmp_path, [row], annotator="ann", phase="1")
    assert [each.subfigures for each in empty] == [()]
    assert problems.lines == []


def test_work_under_the_key_of_early_versions_is_read_and_null_is_named(store: Store, tmp_path: Path) -> None:
    early, empty = a_task(a_record(an_annotation())), a_task(figure="f2", number=6, annotations=None)
    early["completions"] = early.pop("annotations")
    found, problems = brought(store, tmp_path, [early, empty], annotator="ann", phase="1")
    assert [each.figure.id for each in found] == ["f1"]
    assert '"annotations" is missing' in problems.lines[0]


def test_items_in_meta_that_cannot_be_read_are_named(store: Store, tmp_path: Path) -> None:
    verdicts = [{"instance_id": "q1", "verdict": "Correct"}, {"instance_id": "q2", "verdict": "fine"}]
    task = a_task(a_record(an_annotation()), meta={"panelwise": {"verdicts": verdicts}})
    found, problems = brought(store, tmp_path, [task], annotator="ann", phase="1")
    assert [each.item for each in found[0].items.verdicts] == ["q1"]
    assert problems.lines[0].endswith("left this verdict out")
    task["meta"]["panelwise"]["verdicts"] = verdicts[1:]
    (tmp_path / "e.json").write_text(json.dumps([task]))
    again = Problems()
    list(import_from("label-studio", store, CAMPAIGN, tmp_path / "e.json", again, annotator="ben", phase="1"))
    assert again.lines[0].endswith("left the annotation out")


@pytest.mark.parametrize(
    "image",
    [
        "/data/upload/3/1a2b3c4d-f1.png",
        "/data/local-files/?d=figs%2FF1.PNG",
        "https://bucket.example.org/figs/f1.png?X-Amz-Signature=ab",
    ],
)
def test_a_task_without_our_key_is_found_by_its_images_name(store: Store, tmp_path: Path, image: str) -> None:
    task = a_task(a_record(an_annotation()))
    task["data"] = {"caption": task["data"]["caption"], "picture": image}
    (found,), problems = brought(store, tmp_path, [task], annotator="ann", phase="1")
    assert (found.figure.id, found.subfigures) == ("f1", an_annotation().subfigures)
    assert problems.count == 0


def test_a_task_without_our_key_and_caption_is_read_and_one_of_no_figure_is_named(
    store: Store, tmp_path: Path
) -> None:
    plain = a_record(an_annotation(subfigures=(a_subfigure("A", tokens=()),)))
    tasks = [
        a_task(plain, data={"picture": "f1.png"}),
        a_task(plain, data={"picture": "https://ann:secret@example.org/x.png"}, number=6),
        a_task(plain, data={"text": "no image"}, number=7),
    ]
    (found,), problems = brought(store, tmp_path, tasks, annotator="ann", phase="1")
    assert (found.figure.id, len(found.subfigures)) == ("f1", 1)
    absent, bare = problems.lines if problems.lines[0].count("x.png") else reversed(problems.lines)
    assert "x.png" in absent
    assert "matches no stored figure; add the figure's id" in absent
    assert "secret" not in absent
    assert '"data.source_id" is missing, and the task names no image' in bare


def test_accounts_by_name_alone_are_told_apart_and_letter_case_is_no_second_person(
    store: Store, tmp_path: Path
) -> None:
    named = [
        a_record(an_annotation(), at, by=None, created_username=f" {name}@example.org, {at}")
        for at, name in ((1, "x"), (2, "y"))
    ]
    with pytest.raises(FormatError, match=r"2 annotators \(x@example.org, y@example.org\)"):
        brought(store, tmp_path, [a_task(named[0]), a_task(named[1], figure="f2")], annotator="ann", phase="1")
    known(store)
    spelled = [
        a_record(an_annotation(figure=a_figure(figure)), at, by={"email": email})
        for at, figure, email in ((1, "f1", "Ann.B@example.org"), (2, "f2", "ann.b@Example.org"))
    ]
    (tmp_path / "export.json").write_text(
        json.dumps([a_task(spelled[0]), a_task(spelled[1], figure="f2", number=6)])
    )
    problems = Problems()
    file = tmp_path / "export.json"
    list(import_from("label-studio", store, CAMPAIGN, file, problems, annotator="ann", phase="1"))
    assert problems.count == 0


def test_times_of_before_1_0_are_seconds(store: Store, tmp_path: Path) -> None:
    record = a_record(an_annotation(), created_at=int(NOON.timestamp()), updated_at=None)
    (found,), problems = brought(store, tmp_path, [a_task(record)], annotator="ann", phase="1")
    assert found.saved_at == NOON
    assert problems.count == 0


def completion(annotation: Annotation, number: int = 5001, **more: Any) -> dict[str, Any]:
    """One as versions before 1.0 wrote it: no account, times only as what a person reads."""
    result = annotation_payload(annotation)["result"]
    return {"id": number, "lead_time": 4.5, "result": result, "created_ago": "2 days ago", **more}


def old_task(*completions: dict[str, Any], figure: str = "f1") -> dict[str, Any]:
    return {"id": 5, "data": task_data(a_figure(figure)), "completions": list(completions), "predictions": []}


def test_work_of_before_1_0_without_times_is_read_and_its_time_is_unknown(store: Store, tmp_path: Path) -> None:
    tasks = [
        old_task(completion(an_annotation())),
        old_task(completion(an_annotation(a_figure("f2"))), figure="f2"),
    ]
    found, problems = brought(store, tmp_path, tasks, annotator="ann", phase="1")
    assert [(each.figure.id, each.saved_at) for each in found] == [("f1", UNKNOWN_TIME), ("f2", UNKNOWN_TIME)]
    assert found[0].subfigures == an_annotation().subfigures
    assert problems.count == 0


@pytest.mark.parametrize("skipped", [{"skipped": True}, {"skipped": "true"}, {"was_cancelled": True}])
def test_a_task_skipped_before_1_0_is_no_work_without_boxes(
    store: Store, tmp_path: Path, skipped: dict[str, Any]
) -> None:
    tasks = [old_task(completion(an_annotation(subfigures=()), **skipped))]
    (found,), _ = brought(store, tmp_path, tasks, annotator="ann", phase="1")
    assert found.status is Status.IGNORED


def test_of_two_works_without_a_time_the_first_is_kept_and_the_message_says_why(
    store: Store, tmp_path: Path
) -> None:
    tasks = [old_task(completion(an_annotation()), completion(an_annotation(), 5002))]
    found, problems = brought(store, tmp_path, tasks, annotator="ann", phase="1")
    assert len(found) == 1
    assert problems.lines[0].endswith(", both without a time); kept the first")


def test_work_of_nobody_needs_a_name_on_import_and_is_the_files_in_agreement(store: Store, tmp_path: Path) -> None:
    found, problems = brought(store, tmp_path, [old_task(completion(an_annotation()))], phase="1")
    assert found == []
    assert problems.lines[0].endswith("does not say whose it is; name the annotator with --annotator")
    (alone,) = read_label_studio(tmp_path / "export.json", Problems())
    assert (alone.annotator, alone.saved_at) == ("export", UNKNOWN_TIME)


def test_work_of_nobody_beside_somebodys_is_not_taken_as_one_persons(store: Store, tmp_path: Path) -> None:
    tasks = [
        a_task(a_record(an_annotation(), by={"email": "x@example.org"})),
        old_task(completion(an_annotation(a_figure("f2")), 7), figure="f2"),
    ]
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    with pytest.raises(FormatError, match=r"2 annotators \(one without a name, x@example.org\)"):
        list(import_from("label-studio", store, CAMPAIGN, tmp_path / "export.json", Problems(), annotator="ann"))


@pytest.mark.parametrize("bad", [None, "text", {"id": 9, "completed_by": 2, "result": "text"}])
def test_a_bad_annotation_of_a_task_costs_no_other(store: Store, tmp_path: Path, bad: Any) -> None:
    task = a_task(a_record(an_annotation()))
    task["annotations"].insert(0, bad)
    (found,), problems = brought(store, tmp_path, [task], annotator="ann", phase="1")
    assert (found.figure.id, found.subfigures) == ("f1", an_annotation().subfigures)
    (line,) = problems.lines
    assert line.startswith(f'{tmp_path / "export.json"}:1: "annotations[0]')
    assert line.endswith("left this annotation out")


def test_an_image_of_no_figure_is_named_without_its_login_and_with_one_place(store: Store, tmp_path: Path) -> None:
    address = "https://ann:secret@example.org/x.png?X-Amz-Signature=hidden"
    image = {"id": 1, "file_name": address, "width": 800, "height": 600}
    (tmp_path / "c.json").write_text(json.dumps({"images": [image], "annotations": [], "categories": []}))
    problems = Problems()
    list(import_from("coco", store, CAMPAIGN, tmp_path / "c.json", problems, annotator="ann"))
    _, export = brought(
        store, tmp_path, [a_task(a_record(an_annotation()), data={"image": address})], annotator="a"
    )
    for path, line in ((tmp_path / "c.json", problems.lines[0]), (tmp_path / "export.json", export.lines[0])):
        assert line.count(str(path)) == 1
        assert "example.org/x.png" in line
        assert "secret" not in line
        assert "hidden" not in line
