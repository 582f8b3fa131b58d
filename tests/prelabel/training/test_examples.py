from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from medicat_layout import CAPTION, medicat, written
from PIL import Image

from panelwise.domain.annotation import Annotation, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import annotation_record
from prelabel.training.data.examples import (
    Example,
    data_hash,
    of_split,
    read_examples,
    with_images,
    with_subcaptions,
)
from prelabel.training.data.gold_files import Chosen, GoldFigure
from prelabel.training.data.splits import Split

LEFT, RIGHT = Box(0, 0, 40, 40), Box(50, 0, 100, 40)


def work(number: int, annotator: str = "ann", phase: str = "1", **changes: Any) -> dict[str, Any]:
    figure = Figure(f"f{number}", "", 100, 40, Caption.cut(CAPTION))
    subfigures = (Subfigure("A", LEFT, frozenset({1, 2})), Subfigure("B", RIGHT, frozenset({7})))
    given = Annotation(figure, annotator, phase, Status.ACCEPTED, subfigures, datetime(2026, 1, 1, tzinfo=UTC))
    return annotation_record(replace(given, **changes))


def figure_line(number: int, document: str, **more: Any) -> dict[str, Any]:
    return {
        "figure_id": f"f{number}",
        "image": f"{number}.png",
        "width": 100,
        "height": 40,
        "caption": CAPTION,
        "source": {"document": document},
        **more,
    }


def test_the_datasets_records_are_read_with_spans_and_answer(tmp_path: Path) -> None:
    gold = written(
        tmp_path / "subcaptions_public.jsonl",
        *(medicat(number) for number in range(4)),
        medicat(4, answer="reject"),
        medicat(5, answer="ignore"),
    )
    problems = Problems()
    found = read_examples(gold, problems, images=tmp_path / "figures")
    assert problems.lines == []
    assert [each.figure.document for each in found] == ["hash0", "hash1", "hash2", "hash3"]
    assert [each.box for each in found[0].subfigures] == [LEFT, RIGHT]
    assert found[0].subfigures[0].subcaption == frozenset(range(5))
    assert found[0].image == tmp_path / "figures" / "hash0_1-Figure1-1.png"


def test_the_datasets_records_are_read_with_subfigures_and_null_subcaptions(tmp_path: Path) -> None:
    record = medicat(0, subcaptions=None, subfigures=medicat(0)["spans"], spans=..., answer=...)
    found = read_examples(written(tmp_path / "gold.jsonl", record), Problems())
    assert [each.box for each in found[0].subfigures] == [LEFT, RIGHT]
    assert not found[0].texted
    with pytest.raises(FormatError, match="none of 1 figure has a subcaption; train a detector on this gold"):
        with_subcaptions(found, Problems())


def test_a_figure_without_subfigures_is_one_box_over_the_whole_image(tmp_path: Path) -> None:
    (found,) = read_examples(written(tmp_path / "g.jsonl", medicat(0, spans=[], subcaptions={})), Problems())
    assert found.subfigures == (Subfigure("A", Box(0, 0, 100, 40)),)
    assert found.whole
    (other,) = read_examples(written(tmp_path / "h.jsonl", medicat(0)), Problems())
    assert not other.whole


def test_subcaptions_without_boxes_are_told(tmp_path: Path) -> None:
    problems = Problems()
    gold = written(
        tmp_path / "gold.jsonl", medicat(0, spans=[]), medicat(1, spans=medicat(1)["spans"][:1]), medicat(2)
    )
    found = read_examples(gold, problems)
    assert [len(each.subfigures) for each in found] == [1, 2]
    draw = "has no box; draw it, or remove the words; left this"
    assert problems.lines == [
        f'{gold}:1: "subcaptions.A" {draw} text out',
        f'{gold}:1: "subcaptions.B" {draw} text out',
        f"{gold}:1: none of its 2 texts could be read; left the annotation out",
        f'{gold}:2: "subcaptions.B" {draw} subcaption out',
    ]


def test_a_figure_that_gold_repeats_is_learnt_from_once_and_named(tmp_path: Path) -> None:
    problems = Problems()
    gold = written(tmp_path / "gold.jsonl", medicat(0), medicat(1), medicat(0))
    assert len(read_examples(gold, problems)) == 2
    [line] = problems.lines
    assert line.startswith(f"{gold}:3: figure ")
    assert line.endswith(f"is there before ({gold}:1); kept the first")


def test_the_datasets_split_keys_say_the_splits(tmp_path: Path) -> None:
    keys = tmp_path / "subcaption_split_keys.json"
    entry = [{"pdf_hash": f"hash{number}", "fig_key": "Figure1"} for number in range(3)]
    keys.write_text(json.dumps({"train": entry[:1], "val": entry[1:2], "test": entry[2:]}))
    problems = Problems()
    gold = written(tmp_path / "gold.jsonl", *(medicat(number) for number in range(5)))
    found = read_examples(gold, problems, split_keys=keys)
    assert {each.figure.document: each.split.value for each in found} == {
        "hash0": "train",
        "hash1": "val",
        "hash2": "test",
    }
    assert problems.count == 0
    assert problems.notes == [f"{keys}: 2 figures of the gold in no split; left out"]
    keys.write_text(json.dumps({"train": [{"pdf_hash": "x", "fig_key": "y"}]}))
    with pytest.raises(FormatError, match="names none of 5 figures of the gold; is it of another dataset"):
        read_examples(gold, problems, split_keys=keys)


def test_gold_of_ours_takes_agreement_and_splits_from_its_records(tmp_path: Path) -> None:
    gold = written(
        tmp_path / "gold.jsonl",
        medicat(0, agreement=True, split="train"),
        medicat(1, split="valid"),
        medicat(2, split="train"),
    )
    found = read_examples(gold, Problems())
    assert [(each.split.value, each.agreement) for each in found] == [
        ("test", True),
        ("val", False),
        ("train", False),
    ]


def test_annotations_take_images_and_articles_from_the_figures(tmp_path: Path) -> None:
    gold = written(tmp_path / "a.jsonl", work(1), work(2, status=Status.REJECTED))
    (tmp_path / "data").mkdir()
    figures = written(tmp_path / "data" / "figures.jsonl", figure_line(1, "doi/1", split="val"))
    (found,) = read_examples(gold, Problems(), figures=figures)
    assert (found.figure.document, found.image) == ("doi/1", tmp_path / "data" / "1.png")
    assert found.split is Split.VAL
    assert found.figure.source == {"document": "doi/1"}


def test_figures_that_two_did_in_the_second_phase_are_kept_for_the_test(tmp_path: Path) -> None:
    gold = written(
        tmp_path / "a.jsonl",
        *(work(number, phase="1") for number in range(12)),
        work(3, phase="2", annotator="ben"),
        work(3, phase="2"),
        work(5, phase="2"),
    )
    figures = written(tmp_path / "f.jsonl", *(figure_line(number, f"doi/{number % 6}") for number in range(12)))
    found = read_examples(gold, Problems(), figures=figures, chosen=Chosen(annotator="ann"))
    splits = {each.figure.id: each.split for each in found}
    assert [each.figure.id for each in found if each.agreement] == ["f3"]
    # Its article as a whole is: figure 9 is of the same.
    assert splits["f3"] is splits["f9"] is Split.TEST
    assert set(splits.values()) == set(Split)


def test_work_of_several_needs_a_choice_and_the_last_word_counts(tmp_path: Path) -> None:
    later = work(1, saved_at=datetime(2026, 2, 1, tzinfo=UTC), subfigures=())
    gold = written(tmp_path / "a.jsonl", later, work(1), work(1, annotator="ben"))
    with pytest.raises(AnnotatorError, match="work by ann, ben; choose whose to learn from with --gold-annotator"):
        read_examples(gold, Problems())
    (found,) = read_examples(gold, Problems(), chosen=Chosen(annotator="ann"))
    assert found.whole
    with pytest.raises(FormatError, match="holds no accepted figure to learn from"):
        read_examples(gold, Problems(), chosen=Chosen(annotator="cho"))


def test_bad_records_are_told_and_the_rest_is_kept(tmp_path: Path) -> None:
    problems = Problems()
    gold = tmp_path / "gold.jsonl"
    gold.write_text(
        "\n".join(
            [
                "{",
                json.dumps(medicat(0, tokens="none")),
                json.dumps(medicat(1, width=None)),
                json.dumps(medicat(2)),
            ]
        )
    )
    assert [each.figure.document for each in read_examples(gold, problems)] == ["hash2"]
    assert [line.split(": ")[0] for line in problems.lines] == [f"{gold}:{number}" for number in (1, 2, 3)]


@pytest.mark.parametrize("content", ["", '{"figure_id": "x"}\n'])
def test_a_file_without_any_gold_is_one_line(tmp_path: Path, content: str) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text(content)
    with pytest.raises(FormatError, match="holds no accepted figure to learn from"):
        read_examples(gold, Problems())


def an_example(number: int, folder: Path, split: Split = Split.TRAIN, *, text: str = CAPTION) -> Example:
    figure = Figure(f"f{number}", "x.png", 100, 40, Caption.cut(text), document=f"d{number}")
    return Example(figure, folder / f"{number}.png", (Subfigure("A", LEFT, frozenset({1})),), split)


def test_missing_images_are_told_one_by_one(tmp_path: Path) -> None:
    Image.new("RGB", (100, 40)).save(tmp_path / "1.png")
    Image.new("RGB", (100, 40)).save(tmp_path / "2.png")
    problems = Problems()
    examples = [
        an_example(1, tmp_path),
        an_example(2, tmp_path, Split.VAL),
        an_example(3, tmp_path),
    ]
    assert [each.figure.id for each in with_images(examples, problems)] == ["f1", "f2"]
    (line,) = problems.lines
    assert line.startswith(f'figure "f3": {tmp_path / "3.png"}: no such image; left it out; put it there')
    with pytest.raises(FormatError, match="no figure's image is there; name their folder with --images"):
        with_images(examples[2:], Problems())
    with pytest.raises(FormatError, match="of 1 figure with an image none is there to validate with"):
        with_images(examples[:1], Problems())


def test_the_data_hash_follows_what_there_is_to_learn(tmp_path: Path) -> None:
    for number in (1, 2):
        Image.new("RGB", (100, 40), (number, 0, 0)).save(tmp_path / f"{number}.png")
    examples = [an_example(1, tmp_path), an_example(2, tmp_path, Split.VAL)]
    first = data_hash(examples, images=True)
    assert first == data_hash(examples[::-1], images=True)
    assert first != data_hash(examples, images=False)
    cited = replace(examples[0], figure=replace(examples[0].figure, references=("As Fig. 1 shows.",)))
    assert first == data_hash([cited, examples[1]], images=True)
    assert data_hash(examples, images=True, references=True) != data_hash(
        [cited, examples[1]], images=True, references=True
    )
    assert first != data_hash([replace(examples[0], split=Split.TEST), examples[1]], images=True)
    assert first != data_hash([an_example(1, tmp_path, text="(A) A liver."), examples[1]], images=True)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for number in (1, 2):
        (tmp_path / f"{number}.png").rename(moved / f"{number}.png")
    assert first == data_hash([replace(each, image=moved / each.image.name) for each in examples], images=True)
    Image.new("RGB", (100, 40), "white").save(moved / "1.png")
    assert first != data_hash([replace(each, image=moved / each.image.name) for each in examples], images=True)


def test_what_a_service_took_from_a_campaign_is_split_alike(tmp_path: Path) -> None:
    settled = [
        GoldFigure(each.figure, each.image, each.subfigures)
        for each in (an_example(n, tmp_path) for n in range(30))
    ]
    found = read_examples(settled, Problems())
    assert {split.value: len(of_split(found, split)) > 0 for split in Split} == dict.fromkeys(Split, True)
    with pytest.raises(FormatError, match="the campaign: holds no accepted figure"):
        read_examples([], Problems())
