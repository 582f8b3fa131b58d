"""What readers of the MedICaT dataset ask of a record, written anew from its published layout; no code of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from builders import NOON

from panelwise.domain.annotation import Status
from panelwise.domain.decision import Gold, GoldSource, Provenance
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.medicat import gold_record, read_medicat

if TYPE_CHECKING:
    from panelwise_simulator.simulated import SimulatedFigure

Box = tuple[float, float, float, float]


def loaded(lines: list[str]) -> Iterator[tuple[str, dict[str, Box], dict[str, list[str]]]]:
    """(image id, boxes by label, words of the subcaption by label) of each accepted record."""
    for line in lines:
        record = json.loads(line)
        if record["answer"] != "accept":
            continue
        image = record["pdf_hash"] + "_" + record["fig_uri"]
        document, uri = image.split("_")
        assert (document, uri) == (record["pdf_hash"], record["fig_uri"])
        assert isinstance(record["width"], int | float)
        assert isinstance(record["height"], int | float)
        boxes = {}
        for span in record["spans"]:
            assert len(span["points"]) == 4
            xs, ys = [point[0] for point in span["points"]], [point[1] for point in span["points"]]
            boxes[span["label"]] = (min(xs), min(ys), max(xs), max(ys))
            assert 0 <= min(xs) < max(xs) <= record["width"]
            assert 0 <= min(ys) < max(ys) <= record["height"]
        words = {}
        for label, tokens in record["subcaptions"].items():
            assert tokens
            words[label] = [record["tokens"][token]["text"] for token in tokens]
        for place, token in enumerate(record["tokens"]):
            assert token["id"] == place
            assert record["text"][token["start"] : token["end"]] == token["text"]
        yield image, boxes, words


def gold_of(simulated: SimulatedFigure) -> Gold:
    truth = simulated.truth()
    provenance = Provenance(GoldSource.ADJUDICATED, "rev1", ("ann1",), NOON)
    return Gold(truth.figure, Status.ACCEPTED, truth.subfigures, provenance)


def test_the_demos_gold_opens_in_the_datasets_readers(six: list[SimulatedFigure], tmp_path: Path) -> None:
    golds = [gold_of(each) for each in six]
    write_lines(tmp_path / "gold.jsonl", [gold_record(gold) for gold in golds])
    opened = list(loaded((tmp_path / "gold.jsonl").read_text().splitlines()))
    assert len({image for image, _, _ in opened}) == len(opened) == 6
    for gold, (_, boxes, words) in zip(golds, opened, strict=True):
        assert boxes == {each.label: tuple(each.box.as_list()) for each in gold.subfigures}
        assert words == {
            each.label: [gold.figure.caption.words[token] for token in sorted(each.subcaption)]
            for each in gold.subfigures
            if each.subcaption
        }


def test_the_datasets_own_record_opens_as_it_came_and_as_we_write_it(shared_data: Path, tmp_path: Path) -> None:
    record: dict[str, Any] = json.loads((shared_data / "medicat_record.json").read_text())
    record.update(split="train", unknown={"kept": [1]})
    (before,) = loaded([json.dumps(record)])
    write_lines(tmp_path / "m.jsonl", [record])
    (annotation,) = read_medicat(tmp_path / "m.jsonl", Problems())
    provenance = Provenance(GoldSource.SINGLE, "", (), NOON)
    written = gold_record(Gold(annotation.figure, annotation.status, annotation.subfigures, provenance))
    (after,) = loaded([json.dumps(written)])
    assert after == before
    assert (written["split"], written["unknown"]) == ("train", {"kept": [1]})


def test_a_record_with_subfigures_alone_and_null_subcaptions_is_written_whole(
    shared_data: Path, tmp_path: Path
) -> None:
    record = json.loads((shared_data / "medicat_record.json").read_text())
    del record["spans"]
    record["subcaptions"] = None
    write_lines(tmp_path / "m.jsonl", [record])
    (annotation,) = read_medicat(tmp_path / "m.jsonl", Problems())
    provenance = Provenance(GoldSource.SINGLE, "", (), NOON)
    written = gold_record(Gold(annotation.figure, annotation.status, annotation.subfigures, provenance))
    (opened,) = loaded([json.dumps(written)])
    assert sorted(opened[1]) == ["a", "b", "c"]
    assert opened[2] == {}
