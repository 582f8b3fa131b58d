"""`agreement consensus` as its users run it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, a_prediction, a_subfigure, an_annotation
from running import Done, notes, run_command

from annotator.campaign.home import Home
from annotator.cli.agreement.main import group
from annotator.cli.campaign.main import group as annotator_group
from panelwise.domain.annotation import Annotation, Status
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record, prediction_record

LEFT, RIGHT = (0, 0, 400, 600), (400, 0, 800, 600)


def agreement(*arguments: object) -> Done:
    return run_command(group, "agreement", *arguments)


def annotator(*arguments: object) -> Done:
    return run_command(annotator_group, "annotator", *arguments)


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def written(path: Path, annotations: list[Annotation]) -> Path:
    write_lines(path, map(annotation_record, annotations))
    return path


def by(name: str, figure: str = "f1", *boxes: tuple[float, ...], **more: Any) -> Annotation:
    parts = tuple(a_subfigure("AB"[n], box=box, tokens=(4 + n, 6)) for n, box in enumerate(boxes or (LEFT,)))
    return an_annotation(a_figure(figure), annotator=name, subfigures=parts, **more)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """f1: ann2 alone has a second panel. f2: two rejected it. f3: as many rejected as accepted. f4: ann1 alone."""
    rejected = {"status": Status.REJECTED}
    return written(
        tmp_path / "annotations.jsonl",
        [
            *(by("ann1"), by("ann2", "f1", LEFT, RIGHT), by("ann3")),
            *(by("ann1", "f2", **rejected), by("ann2", "f2", **rejected), by("ann3", "f2")),
            *(by("ann1", "f3", **rejected), by("ann2", "f3")),
            by("ann1", "f4"),
        ],
    )


def test_what_two_of_three_have_is_written_and_the_rest_told(source: Path) -> None:
    done = agreement("consensus", source)
    assert done.returncode == 0
    found = records(done.stdout)
    assert [(each["figure_id"], each["status"], len(each["subfigures"])) for each in found] == [
        ("f1", "accepted", 1),
        ("f2", "rejected", 0),
    ]
    assert notes(done.stderr).splitlines() == [
        "merged the work of 3 annotators, quorum 2: 2 figures with 1 subfigure, by consensus",
        "1 subfigure with fewer supporters than the quorum: left out; --keep-all keeps them",
        "1 figure without a consensus, as many accepted it as rejected it: left out: f3",
        "1 figure without a consensus, fewer than the quorum agree on its status: left out: f4",
    ]


def test_everything_can_be_kept_with_its_marks(source: Path) -> None:
    done = agreement("consensus", source, "--keep-all")
    found = {each["figure_id"]: each for each in records(done.stdout)}
    assert sorted(found) == ["f1", "f2", "f3", "f4"]
    assert [part.get("below_quorum", False) for part in found["f1"]["subfigures"]] == [False, True]
    assert found["f4"]["consensus"]["reason"] == "fewer than the quorum agree on its status"
    assert "without a consensus, as many accepted it as rejected it: kept: f3" in done.stderr


def test_with_a_quorum_of_one_everybody_s_work_is_there(source: Path) -> None:
    found = records(agreement("consensus", source, "--quorum", 1).stdout)
    assert [(each["figure_id"], len(each["subfigures"])) for each in found] == [("f1", 2), ("f2", 0), ("f4", 1)]


def test_the_same_work_in_any_order_gives_the_same_bytes(source: Path, tmp_path: Path) -> None:
    lines = source.read_text("utf-8").splitlines(keepends=True)
    turned = tmp_path / "turned.jsonl"
    turned.write_text("".join(reversed(lines)), "utf-8")
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    for given, out in ((source, first), (turned, second)):
        done = agreement("consensus", given, "--keep-all", "--out", out)
        assert (done.returncode, done.stdout) == (0, "")
    assert first.read_bytes() == second.read_bytes() != b""


def test_the_result_is_compared_with_people_and_reported_beside_another(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "consensus.jsonl"
    agreement("consensus", source, "--out", out)
    done = agreement("compare", out, source, "--annotator", "ann1", "--bootstrap", 0, "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["score"]) == (0, 1)
    strict = tmp_path / "strict.jsonl"
    agreement("consensus", source, "--quorum", 3, "--annotator", "strict", "--out", strict)
    done = agreement("report", out, strict, "--bootstrap", 0, "--format", "json")
    assert (done.returncode, notes(done.stderr)) == (0, "")
    assert json.loads(done.stdout)["iaa"] == 1


def test_an_earlier_consensus_has_no_vote_in_the_next(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "consensus.jsonl"
    record = annotation_record(by("consensus", "f4"))
    write_lines(out, [record])
    done = agreement("consensus", source, out)
    assert "left out 1 annotation by consensus, as whom the result is written\n" in done.stderr
    assert "f4" not in {each["figure_id"] for each in records(done.stdout)}


@pytest.mark.slow
def test_the_result_is_no_annotator_s_work_and_is_not_imported_as_such(tmp_path: Path, source: Path) -> None:
    home = Home.create(tmp_path / "campaign")
    figures = tmp_path / "figures.jsonl"
    write_lines(
        figures,
        [
            {"figure_id": f"f{n}", "image": "", "caption": a_figure().caption.text, "width": 800, "height": 600}
            for n in range(1, 5)
        ],
    )
    assert annotator("import", "figures", figures, "--no-images", "--home", home.path).returncode == 0
    assert annotator("import", "annotations", source, "--home", home.path).returncode == 0
    out = tmp_path / "consensus.jsonl"
    done = agreement("consensus", "--home", home.path, "--out", out)
    assert (done.returncode, "quorum 2" in done.stderr) == (0, True)
    done = annotator("import", "annotations", out, "--home", home.path)
    assert (done.returncode, done.stdout) == (1, "imported 0 annotations; see the 1 error above\n")
    assert done.stderr.startswith(f"{out}: left out 2 records of a consensus, which is not an annotator's work")
    assert done.stderr.count("\n") == 1
    again = agreement("consensus", source, out)
    assert "left out 2 annotations by consensus" in again.stderr
    assert records(again.stdout) == records(agreement("consensus", source).stdout)
    assert agreement("report", "--home", home.path).returncode == 0


def test_the_result_as_predictions_seeds_tasks(tmp_path: Path, source: Path) -> None:
    home = Home.create(tmp_path / "campaign")
    figures = tmp_path / "figures.jsonl"
    write_lines(
        figures,
        [
            {"figure_id": f"f{n}", "image": "", "caption": a_figure().caption.text, "width": 800, "height": 600}
            for n in range(1, 5)
        ],
    )
    annotator("import", "figures", figures, "--no-images", "--home", home.path)
    out = tmp_path / "predictions.jsonl"
    done = agreement(
        "consensus", source, "--format", "predictions", "--keep-all", "--annotator", "we", "--out", out
    )
    assert "1 figure rejected: left out, as a prediction cannot say that" in done.stderr
    done = annotator("import", "predictions", out, "--home", home.path)
    assert (done.returncode, done.stdout, notes(done.stderr)) == (0, "imported 3 predictions\n", "")
    store = home.open_store()
    with store.read() as tx:
        prediction = tx.predictions.of(["f1"]).get("f1")
    store.close()
    assert prediction is not None
    assert (prediction.model_version, prediction.scores) == ("we", (1.0, 1 / 3))


def test_the_quorum_of_a_campaign_is_its_own_unless_another_is_given(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "campaign")
    settings = home.path / "campaign.toml"
    settings.write_text(settings.read_text("utf-8").replace("quorum = 2", "quorum = 3"), "utf-8")
    assert "quorum 3" in agreement("consensus", home.path).stderr
    assert "quorum 1" in agreement("consensus", home.path, "--quorum", 1).stderr
    assert "quorum 2" in agreement("consensus", home.path, home.path).stderr


def test_several_models_are_merged_like_people(tmp_path: Path) -> None:
    file = tmp_path / "predictions.jsonl"
    write_lines(
        file, [prediction_record(a_prediction(a_figure("f1"), model_version=name)) for name in ("m1", "m2", "m3")]
    )
    [record] = records(agreement("consensus", file).stdout)
    assert [part["supporters"] for part in record["subfigures"]] == [["m1", "m2", "m3"]] * 2


def test_a_superseded_annotation_has_no_vote_and_is_told(source: Path, tmp_path: Path) -> None:
    more = written(tmp_path / "more.jsonl", [by("ann1", "f4", minutes=5), by("ann2", "f4", minutes=5)])
    done = agreement("consensus", source, more)
    assert "1 annotation left out: replaced by later ones (first: f4 by ann1)" in done.stderr
    assert [each["figure_id"] for each in records(done.stdout)] == ["f1", "f2", "f4"]


def test_another_caption_than_most_saw_is_left_out_and_named(tmp_path: Path) -> None:
    other = an_annotation(a_figure("f1", caption="Another caption"), annotator="ann3", subfigures=())
    file = written(tmp_path / "work.jsonl", [by("ann1"), by("ann2"), other])
    done = agreement("consensus", file)
    [record] = records(done.stdout)
    assert (record["consensus"]["differing"], record["caption"]) == (["ann3"], a_figure().caption.text)
    assert done.stderr.splitlines()[1] == (
        "left out 1 annotation on another caption, tokens or image size than most saw, by ann3: f1"
    )
    done = agreement("consensus", written(tmp_path / "two.jsonl", [by("ann1"), other]), "--keep-all")
    assert (done.returncode, done.stdout) == (0, "")
    assert "as many saw one caption, tokens or image size as another: left out: f1" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--quorum", 0), 2, "0 is not in the range"),
        (("--min-iou", "nan"), 2, "nan is not a finite number"),
        (("--phase", "9"), 1, 'has no phase "9"; choose 1 with --phase'),
        (("--annotator", " "), 1, "the result needs an annotator's name"),
        (("--format", "coco"), 2, "is not one of"),
        (("--out", "{source}"), 1, "is an input of this command"),
    ],
)
def test_what_cannot_be_done_is_told(
    arguments: tuple[object, ...], status: int, message: str, source: Path
) -> None:
    done = agreement("consensus", source, *(str(each).format(source=source) for each in arguments))
    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr
    if status == 1:
        assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_real_people_s_consensus_comes_closer_to_the_gold_than_most_of_them(
    shared_data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "consensus.jsonl"
    done = agreement("consensus", shared_data / "annotations.jsonl", "--out", out)
    assert (
        notes(done.stderr)
        == "merged the work of 3 annotators, quorum 2: 19 figures with 84 subfigures, by consensus\n"
    )

    def score(path: Path, *more: object) -> float:
        gold = shared_data / "gold_annotations.jsonl"
        done = agreement("compare", gold, path, "--bootstrap", 0, "--format", "json", *more)
        found: float = json.loads(done.stdout)["score"]
        return found

    people = sorted(score(shared_data / "annotations.jsonl", "--annotator", f"ann{n}") for n in (1, 2, 3))
    assert score(out) > people[1]
