"""Bad input, as the commands take it: each fault in a line that says where it is, no score out of nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agreement_commands import (
    CAPTION,
    agreement,
    compare,
    consensus,
    part,
    record,
    report,
    written,
)
from builders import a_figure, a_prediction

from panelwise.formats.annotations import prediction_record


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("content", [b"", b"\n\n  \n", b"\xef\xbb\xbf"])
def test_of_no_figures_there_is_no_score_and_the_file_is_named(
    content: bytes, good: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "work.jsonl"
    path.write_bytes(content)
    other = written(tmp_path / "other.jsonl", *good[::2])
    empty = f"{path}: is empty; give one JSON object a line\n"
    done, found = report(path)
    assert (done.returncode, done.stderr, found["iaa"], found["reason"]) == (1, empty, None, "no annotations")
    done, found = compare(other, path)
    assert (done.returncode, done.stderr, found["score"]) == (1, empty, None)
    assert found["reason"] == "nothing to compare with it"
    done, found = compare(path, other)
    assert (done.returncode, done.stderr, found["score"], found["reason"]) == (1, empty, None, "no gold")
    done, merged = consensus(path)
    assert (done.returncode, merged) == (1, [])
    assert done.stderr.startswith(empty)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("mode", ["paper", "official-code"])
def test_one_annotator_alone_agrees_with_nobody(mode: str, tmp_path: Path) -> None:
    path = written(tmp_path / "work.jsonl", record("f1"), record("f2"))
    done, found = report(path, "--mode", mode)
    assert (done.returncode, done.stderr, found["iaa"]) == (0, "", None)
    assert found["reason"] == "one annotator only (ann1); agreement needs two"
    done, merged = consensus(path)
    assert (done.returncode, merged) == (0, [])
    assert "2 figures without a consensus, fewer than the quorum agree on its status: left out" in done.stderr
    done, merged = consensus(path, "--quorum", 1)
    assert [each["figure_id"] for each in merged] == ["f1", "f2"]


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("mode", ["paper", "official-code"])
def test_without_a_figure_in_common_there_is_no_score(mode: str, tmp_path: Path) -> None:
    path = written(tmp_path / "work.jsonl", record("f1", "ann1"), record("f2", "ann2"))
    done, found = report(path, "--mode", mode)
    assert (done.returncode, found["iaa"], found["reason"]) == (0, None, "no figure in common")
    gold = written(tmp_path / "gold.jsonl", record("f3"))
    done, found = compare(gold, path, "--mode", mode)
    assert (done.returncode, found["score"], found["reason"]) == (0, None, "no figure in common")
    assert consensus(path)[1] == []


DIFFERENT = [
    {"caption": "Another caption here.", "tokens": None, "subfigures": []},
    {"tokens": [[0, 3], [7, 21]]},
    {"width": 801},
    {"height": 601},
]


@pytest.mark.slow
@pytest.mark.usefixtures("reader")
@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("mode", ["paper", "official-code"])
@pytest.mark.parametrize("changed", DIFFERENT, ids=["caption", "tokens", "width", "height"])
def test_a_figure_that_two_saw_differently_is_not_scored(
    mode: str, changed: dict[str, Any], tmp_path: Path
) -> None:
    path = written(tmp_path / "work.jsonl", record("f1", "ann1"), record("f1", "ann2", **changed))
    done, found = report(path, "--mode", mode)
    assert (done.returncode, found["iaa"]) == (0, None)
    assert found["reason"] == "no figure that both accepted in the same version"
    assert "caption, tokens or image size differ" in agreement("report", path, "--mode", mode).stdout
    gold = written(tmp_path / "gold.jsonl", record("f1", "gold"))
    other = written(tmp_path / "other.jsonl", record("f1", "ann2", **changed))
    done, found = compare(gold, other, "--mode", mode)
    assert (done.returncode, found["score"]) == (0, None)
    assert found["reason"] == "no figure that both accepted in the same version"
    done, merged = consensus(path)
    assert merged == []
    assert "as many saw one caption, tokens or image size as another: left out: f1" in done.stderr


def test_of_duplicate_lines_the_one_saved_last_counts_wherever_it_stands(tmp_path: Path) -> None:
    old, new = record("f1", "ann2", subfigures=[]), record("f1", "ann2", saved_at="2027-01-01T00:00:00Z")
    told = "1 annotation left out: replaced by later ones (first: f1 by ann2)\n"
    gold = written(tmp_path / "gold.jsonl", record("f1", "gold"))
    for number, lines in enumerate(([old, new], [new, old])):
        path = written(tmp_path / f"{number}.jsonl", record("f1", "ann1"), *lines)
        done, found = report(path)
        assert (done.returncode, done.stderr, found["iaa"]) == (0, told, 1)
        done, found = compare(gold, path, "--annotator", "ann2")
        assert (done.returncode, done.stderr, found["score"]) == (0, told, 1)
        done, merged = consensus(path)
        assert (done.stderr.endswith(told), len(merged[0]["subfigures"])) == (True, 2)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("box", [[5, 5, 5, 9], [5, 5, 9, 5], [5, 5, 5, 5], [0, 0, 1e-170, 1e-170]])
def test_a_box_without_area_is_left_out_by_paper_and_missed_by_official_code(
    box: list[float], tmp_path: Path
) -> None:
    path = written(
        tmp_path / "work.jsonl", *(record("f1", name, subfigures=[part(box=box)]) for name in ("a", "b"))
    )
    done, found = report(path)
    assert (done.returncode, found["iaa"]) == (1, None)
    assert found["reason"] == "no annotations"
    assert [line.split(": ", 1)[1] for line in done.stderr.splitlines()] == [
        '"subfigures[0].box" of subfigure "A" has zero area; left the annotation out'
    ] * 2
    beside = written(
        tmp_path / "beside.jsonl",
        *(record("f1", name, subfigures=[part(), part(label="B", box=box)]) for name in ("a", "b")),
    )
    done, found = report(beside)
    assert (done.returncode, found["iaa"]) == (1, 1)
    assert [line.split(": ", 1)[1] for line in done.stderr.splitlines()] == [
        '"subfigures[1].box" of subfigure "B" has zero area; left this subfigure out'
    ] * 2
    done, found = report(path, "--mode", "official-code", "--common", "none")
    assert (done.returncode, done.stderr, found["iaa"]) == (0, "", 0)
    done, merged = consensus(path)
    assert (done.returncode, merged) == (1, [])


SCORES: dict[str, tuple[Any, str]] = {
    "NaN": (float("nan"), "lack a score"),
    "Infinity": (float("inf"), '"subfigures[0].score" holds a text, not a number'),
    "above 1": (7, "a score lies outside [0, 1]"),
    "below 0": (-0.5, "a score lies outside [0, 1]"),
    "a text": ("high", '"subfigures[0].score" holds a text, not a number'),
    "null": (None, "lack a score"),
}


@pytest.mark.parametrize("kind", SCORES)
def test_a_prediction_with_a_bad_score_is_named_and_not_scored(kind: str, tmp_path: Path) -> None:
    score, complaint = SCORES[kind]
    fine = prediction_record(a_prediction(a_figure("f2")))
    bad = {**prediction_record(a_prediction(a_figure("f3"))), "subfigures": [part(score=score)]}
    path = written(tmp_path / "predictions.jsonl", fine, bad)
    gold = written(tmp_path / "gold.jsonl", record("f2"), record("f3"))
    for done in (compare(gold, path)[0], report(path)[0], consensus(path, "--quorum", 1)[0]):
        assert done.returncode == 1
        told = next(line for line in done.stderr.splitlines() if not line.startswith("note: "))
        assert told.startswith(f"{path}:2: ")
        assert complaint in told
    _, found = compare(gold, path)
    assert (found["score"], found["counted"]) == (1, 2)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("report", "{work}", "--phase", "9"), '{work}: has no phase "9"; choose 1 with --phase'),
        (("consensus", "{work}", "--phase", "9"), '{work}: has no phase "9"; choose 1 with --phase'),
        (("compare", "{gold}", "{work}", "--phase", "9"), '{work}: has no phase "9"; choose 1 with --phase'),
        (
            ("compare", "{gold}", "{work}", "--gold-phase", "9"),
            '{gold}: has no phase "9"; choose 1 with --gold-phase',
        ),
        (
            ("compare", "{gold}", "{work}", "--annotator", "anne"),
            '{work}: has no annotator "anne"; choose one of ann1, ann2 with --annotator',
        ),
        (
            ("compare", "{gold}", "{work}", "--gold-annotator", "anne"),
            '{gold}: has no annotator "anne"; choose gold with --gold-annotator',
        ),
        (("compare", "{work}", "{gold}"), "{work}: gold by ann1, ann2; choose one with --gold-annotator"),
    ],
)
def test_a_choice_that_is_not_there_is_told_with_those_that_are(
    arguments: tuple[str, ...], complaint: str, good: list[dict[str, Any]], tmp_path: Path
) -> None:
    names = {
        "work": written(tmp_path / "work.jsonl", *good),
        "gold": written(tmp_path / "gold.jsonl", record("f2", "gold")),
    }
    done = agreement(*(each.format(**names) for each in arguments))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: {complaint.format(**names)}\n"


def test_of_several_phases_one_must_be_chosen(good: list[dict[str, Any]], tmp_path: Path) -> None:
    path = written(tmp_path / "work.jsonl", *good, record("f9", "ann1", phase="2"))
    for command in ("report", "consensus"):
        done = agreement(command, path)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"error: {path}: holds phases 1, 2; choose one with --phase\n"


def test_the_least_records_are_scored_with_the_defaults_that_are_documented(tmp_path: Path) -> None:
    def least(name: str, box: list[int], **more: Any) -> dict[str, Any]:
        parts = [{"box": box, "subcaption": [[7, 21]]}, {"box": [400, 0, 800, 600]}]
        return {"figure_id": "f1", "annotator": name, "subfigures": parts, **more}

    known = {"caption": CAPTION}
    path = written(
        tmp_path / "work.jsonl", least("a", [0, 0, 400, 600], **known), least("b", [0, 0, 400, 590], **known)
    )
    for mode in ("paper", "official-code"):
        done, found = report(path, "--mode", mode, "--common", "none")
        assert (done.returncode, done.stderr, found["iaa"], found["phase"]) == (0, "", 1, "1")
    done, merged = consensus(path)
    assert (done.returncode, [each["label"] for each in merged[0]["subfigures"]]) == (0, ["A", "B"])
    assert not {"width", "height"} & merged[0].keys()
    # The size is that of the side that says it, whichever that is.
    gold = written(tmp_path / "gold.jsonl", record("f1", "gold", subfigures=[part()]))
    for one, other in ((gold, path), (path, gold)):
        choice = ["--gold-annotator", "a"] if one is path else ["--annotator", "a"]
        done, found = compare(one, other, *choice)
        assert (done.returncode, done.stderr, found["score"], found["counted"]) == (0, "", 1, 1)
    # Of tokens without a caption each is a word.
    spans = {"tokens": [[0, 6], [7, 21]]}
    path = written(tmp_path / "bare.jsonl", least("a", [0, 0, 9, 9], **spans), least("b", [0, 0, 9, 9], **spans))
    done, found = report(path)
    assert (done.returncode, found["iaa"]) == (0, 1)


def test_a_box_outside_the_size_that_the_other_side_says_is_named(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold.jsonl", record("f1", "gold"), record("f2", "gold"))
    beyond = {"figure_id": "f1", "annotator": "a", "caption": CAPTION, "subfigures": [part(box=[0, 0, 9000, 9])]}
    path = written(tmp_path / "work.jsonl", beyond, record("f2", "a"))
    done, found = compare(gold, path)
    assert (done.returncode, found["score"], found["counted"]) == (1, 1, 2)
    assert 'work.jsonl:1: box [0.0, 0.0, 9000.0, 9.0] of subfigure "A" leaves the image' in done.stderr


def test_a_report_draws_figures_whose_size_nobody_says(tmp_path: Path) -> None:
    def least(name: str, span: list[int]) -> dict[str, Any]:
        parts = [{"box": [0, 0, 300, 200], "subcaption": [span]}]
        return {"figure_id": "f1", "annotator": name, "caption": CAPTION, "subfigures": parts}

    path = written(tmp_path / "work.jsonl", least("a", [7, 21]), least("b", [0, 6]))
    done = agreement("report", path, "--bootstrap", 0, "--format", "html", "--out", tmp_path / "page.html")
    assert done.returncode == 0
    assert 'viewBox="0 0 300 200"' in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("mode", ["paper", "official-code"])
def test_work_that_a_file_repeats_at_the_same_time_is_named_and_the_first_counts(
    mode: str, tmp_path: Path
) -> None:
    again = record("f1", "ann2", subfigures=[part(box=[0, 0, 9, 9])])
    lines = [record("f1", "ann1"), record("f1", "ann2"), record("f2", "ann1"), again]
    path = written(tmp_path / "work.jsonl", *lines)
    done, found = report(path, "--mode", mode, "--common", "none")
    assert (done.returncode, found["iaa"]) == (1, 1)
    before = f"is there before ({path}:2, saved at the same time); kept the first"
    assert done.stderr == f'{path}:4: figure "f1" by "ann2" in phase "1" {before}\n'
    gold = written(tmp_path / "gold.jsonl", record("f1", "gold"))
    done, found = compare(gold, path, "--annotator", "ann2", "--mode", mode, "--common", "none")
    assert (done.returncode, found["score"]) == (1, 1)
    assert f"{path}:4: " in done.stderr


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("mode", ["paper", "official-code"])
def test_what_is_harmless_is_put_right_with_a_note(mode: str, tmp_path: Path) -> None:
    odd = record("f1", "ann2", subfigures=[part(label=" A", box=[400, 600, 0, 0], subcaption=[[21, 7]])])
    path = written(tmp_path / "work.jsonl", record("f1", "ann1", subfigures=[part()]), odd)
    done, found = report(path, "--mode", mode, "--common", "none")
    assert (done.returncode, found["iaa"]) == (0, 1)
    assert [line.split(": ", 2)[0] for line in done.stderr.splitlines()] == ["note"] * 3


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("mode", ["paper", "official-code"])
def test_work_without_one_odd_box_is_no_whole_work_and_is_not_scored(mode: str, tmp_path: Path) -> None:
    odd = record("f1", "ann2", subfigures=[part(), part(label="B", box=[0, 0, 9000, 600])])
    path = written(tmp_path / "work.jsonl", record("f1", "ann1", subfigures=[part()]), odd)
    done, found = report(path, "--mode", mode, "--common", "none")
    assert (done.returncode, found["iaa"], found["counts"]["partly_read"]) == (1, None, 1)
    assert done.stderr.endswith("give pixels of the stored image; left this subfigure out\n")


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("mode", ["paper", "official-code"])
def test_boxes_in_fractions_of_the_image_are_refused_with_the_cause(mode: str, tmp_path: Path) -> None:
    fractions = [part(label="A", box=[0, 0, 0.5, 1]), part(label="B", box=[0.5, 0, 1, 1])]
    mixed = [part(label="A", box=[0, 0, 0.5, 1]), part(label="B", box=[2, 0, 9, 9])]
    lines = [
        record("f1", "ann1", subfigures=fractions),
        *(record("f2", who, subfigures=mixed) for who in ("a", "b")),
    ]
    path = written(tmp_path / "work.jsonl", *lines)
    done, _ = report(path, "--mode", mode, "--common", "none")
    assert done.returncode == 1
    (line,) = (line for line in done.stderr.splitlines() if not line.startswith("note"))
    assert line.startswith(f'{path}:1: "subfigures" holds only boxes within 0 to 1, which look like fractions')
