"""Bad input, as the commands take it: each fault in a line that says where it is, no score out of nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, a_prediction, an_annotation
from running import Done, run_command

from annotator.cli.agreement.main import group
from annotator.measurement import columns as reading_columns
from panelwise.formats.annotations import annotation_record, prediction_record

GOOD = 4
CAPTION = a_figure().caption.text


def agreement(*arguments: object) -> Done:
    """What no exit ends raises here, so that a traceback fails the test."""
    return run_command(group, "agreement", *arguments)


def record(figure: str = "f1", annotator: str = "ann1", **changed: Any) -> dict[str, Any]:
    return {**annotation_record(an_annotation(a_figure(figure), annotator=annotator)), **changed}


def part(**changed: Any) -> dict[str, Any]:
    return {"label": "A", "box": [0, 0, 400, 600], "subcaption": [[7, 21]], **changed}


def with_part(**changed: Any) -> dict[str, Any]:
    return record(subfigures=[part(**changed)])


def written(path: Path, *lines: dict[str, Any] | bytes) -> Path:
    """NaN and Infinity as Python's own json writes them."""
    path.write_bytes(
        b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
    )
    return path


def report(path: Path, *more: object) -> tuple[Done, dict[str, Any]]:
    done = agreement("report", path, "--bootstrap", 0, "--format", "json", *more)
    return done, json.loads(done.stdout)


def compare(gold: Path, predicted: Path, *more: object) -> tuple[Done, dict[str, Any]]:
    done = agreement("compare", gold, predicted, "--bootstrap", 0, "--format", "json", *more)
    return done, json.loads(done.stdout)


def consensus(path: Path, *more: object) -> tuple[Done, list[dict[str, Any]]]:
    done = agreement("consensus", path, *more)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


#: Lines that cannot be read, and what is said of each.
FAULTS: dict[str, tuple[Any, str]] = {
    "a box with NaN": (with_part(box=[float("nan"), 0, 1, 1]), "holds NaN, which is no number in JSON"),
    "a box with Infinity": (with_part(box=[0, 0, float("inf"), 1]), "holds Infinity, which is no number in JSON"),
    "a box with -Infinity": (
        with_part(box=[float("-inf"), 0, 1, 1]),
        "holds Infinity, which is no number in JSON",
    ),
    "a box with a text": (with_part(box=["NaN", 0, 1, 1]), '"subfigures[0].box" is not a list of 4 numbers'),
    "a box with null": (with_part(box=[None, 0, 1, 1]), "is not a list of 4 numbers"),
    "a box of three numbers": (with_part(box=[0, 0, 1]), "is not a list of 4 numbers"),
    "a box outside": (with_part(box=[-50, 0, 100, 100]), "leaves the image (800 x 600 pixels)"),
    "a huge box": (with_part(box=[0, 0, 1e308, 100]), "is not a list of 4 numbers"),
    "a box beyond any float": (with_part(box=[0, 0, 10**400, 100]), "is not a list of 4 numbers"),
    "an inverted box": (with_part(box=[100, 0, 0, 100]), "is inverted"),
    "a span beyond the caption": (with_part(subcaption=[[7, 9999]]), f"beyond the caption's {len(CAPTION)} char"),
    "a huge span": (with_part(subcaption=[[0, 10**30]]), "ends beyond the caption"),
    "a negative span": (with_part(subcaption=[[-4, 3]]), "span [-4, 3) is empty or inverted"),
    "an inverted span": (with_part(subcaption=[[9, 3]]), "span [9, 3) is empty or inverted"),
    "a span of fractions": (with_part(subcaption=[[0.5, 3]]), "is not a pair of whole numbers [start, end]"),
    "a number as label": (with_part(label=3), '"subfigures[0].label" holds a number, not a text'),
    "a text as subfigures": (record(subfigures="none"), '"subfigures" holds a text, not a list'),
    "no subfigures": ({**record(), "subfigures": None}, '"subfigures" is missing'),
    "a list as record": (b"[1, 2]\n", "holds a list, not an object"),
    "a line cut off": (b'{"figure_id": "f1", "annota\n', "not valid JSON"),
    "a line that opens brackets": (b"[" * 200_000 + b"\n", "not valid JSON"),
    "another record": ({"hello": 1}, '"figure_id" is missing'),
    "a width without a height": ({**record(), "height": None}, '"height" is missing; give both sides, or neither'),
    "tokens beyond any caption": (
        {**record(), "caption": None, "tokens": [[0, 10**12]]},
        '"tokens" end at 1000000000000, beyond any caption',
    ),
    "a text as width": (record(width="wide"), '"width" holds a text, not a number'),
    "no width": (record(width=0), '"width" holds 0.0, not a whole number from 1 up'),
    "a huge width": (record(width=10**18), '"width" holds 1e+18, more than can be'),
    "a huge revision": (record(revision=10**18), '"revision" holds 1e+18, more than can be'),
    "a negative revision": (record(revision=-1), '"revision" holds -1.0, not a whole number from 1 up'),
    "an unknown status": (record(status="done"), '"status" is "done"; give accepted, rejected or ignored'),
    "a time that is none": (record(saved_at="yesterday"), '"saved_at" holds "yesterday", not a time'),
    "a time without a zone": (record(saved_at="2026-11-21T10:00:00"), "without a zone; end it in Z"),
    "tokens beyond the caption": (record(tokens=[[0, 9999]]), "token 0 ends at 9999, beyond the caption's"),
    "nobody's work": ({**record(), "annotator": ""}, '"annotator" is empty'),
    "Latin-1": (
        (json.dumps(record(caption="Fig")).replace("Fig", "Fig\xe9") + "\n").encode("latin-1"),
        "not UTF-8",
    ),
    "half a surrogate": (json.dumps(record("\ud800")).encode() + b"\n", "not valid JSON"),
}


@pytest.fixture(params=["line by line", "as columns"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Large files are read as columns, which must tell the same."""
    if request.param == "as columns":
        monkeypatch.setattr(reading_columns, "COLUMNS_FROM", 1)
    return str(request.param)


@pytest.fixture
def good() -> list[dict[str, Any]]:
    """Two figures on which two annotators agree fully."""
    return [record(figure, name) for figure in ("f2", "f3") for name in ("ann1", "ann2")]


@pytest.mark.slow
@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_line_is_named_once_and_the_rest_is_scored(
    fault: str, good: list[dict[str, Any]], tmp_path: Path
) -> None:
    line, complaint = FAULTS[fault]
    path = written(tmp_path / "work.jsonl", *good, line)
    gold = written(tmp_path / "gold.jsonl", *good[::2])
    for mode in ("paper", "official-code"):
        reported, one = report(path, "--mode", mode, "--common", "none")
        compared, other = compare(gold, path, "--mode", mode, "--common", "none")
        assert (one["iaa"], other["score"]) == (1, 1)
        for done in (reported, compared):
            assert done.returncode == 1
            [told] = done.stderr.splitlines()
            assert told.startswith(f"{path}:{GOOD + 1}: ")
            assert complaint in told
    done, merged = consensus(path)
    assert (done.returncode, [each["figure_id"] for each in merged]) == (1, ["f2", "f3"])
    told, summary = done.stderr.splitlines()
    assert told.startswith(f"{path}:{GOOD + 1}: ")
    assert summary == "merged the work of 2 annotators, quorum 2: 2 figures with 4 subfigures, by consensus"


#: Files that hold nothing that can be read at all: bytes, None for what is not there; what is said.
HOPELESS: dict[str, tuple[bytes, str]] = {
    "UTF-16": (json.dumps(record()).encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
    "binary": (bytes(range(256)) * 50, "is no text file; give a file of JSON"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(100), "is no text file (PNG)"),
    "gzip": (b"\x1f\x8b\x08\x00\x00", "is gzip-compressed; decompress it first"),
    "another kind of JSON": (b'{"hello": 1}\n', "no record has subfigures"),
    "a JSON array of others": (b'[{"hello": 1}]', "a JSON array, but not of Label Studio's tasks"),
}


@pytest.mark.parametrize("kind", [*HOPELESS, "a directory", "no file"])
@pytest.mark.parametrize("command", ["report", "compare", "compare gold", "consensus"])
def test_what_cannot_be_read_at_all_is_one_error(
    kind: str, command: str, good: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "work.jsonl"
    if kind == "a directory":
        path.mkdir()
        complaint = "no campaign here (campaign.toml is missing); name a file or a campaign's home"
    elif kind == "no file":
        complaint = "no such file"
    else:
        content, complaint = HOPELESS[kind]
        path.write_bytes(content)
    other = written(tmp_path / "other.jsonl", *good[::2])
    pairs = {"compare": (other, path), "compare gold": (path, other)}
    done = agreement(command.split()[0], *pairs.get(command, (path,)))
    assert (done.returncode, done.stdout) == (1, "")
    [told] = done.stderr.splitlines()
    assert told.startswith(f"error: {path}: ")
    assert complaint in told


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
    assert found["reason"] == "no gold subfigure with a counted token in the figures they share"
    assert [line.split(": ", 1)[1] for line in done.stderr.splitlines()] == [
        '"subfigures[0].box" of subfigure "A" has zero area; left this subfigure out'
    ] * 2
    done, found = report(path, "--mode", "official-code", "--common", "none")
    assert (done.returncode, done.stderr, found["iaa"]) == (0, "", 0)
    done, merged = consensus(path)
    assert (done.returncode, merged[0]["subfigures"]) == (1, [])


SCORES: dict[str, tuple[Any, str]] = {
    "NaN": (float("nan"), "holds NaN, which is no number in JSON"),
    "Infinity": (float("inf"), "holds Infinity, which is no number in JSON"),
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
        told = done.stderr.splitlines()[0]
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
    assert 'figure "f1" by "a": box [0.0, 0.0, 9000.0, 9.0] of subfigure "A" leaves the image' in done.stderr


def test_a_report_draws_figures_whose_size_nobody_says(tmp_path: Path) -> None:
    def least(name: str, span: list[int]) -> dict[str, Any]:
        parts = [{"box": [0, 0, 300, 200], "subcaption": [span]}]
        return {"figure_id": "f1", "annotator": name, "caption": CAPTION, "subfigures": parts}

    path = written(tmp_path / "work.jsonl", least("a", [7, 21]), least("b", [0, 6]))
    done = agreement("report", path, "--bootstrap", 0, "--format", "html", "--out", tmp_path / "page.html")
    assert done.returncode == 0
    assert 'viewBox="0 0 300 200"' in (tmp_path / "page.html").read_text("utf-8")
