import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from annotator.cli.prelabel import group
from annotator.demo.figures import FIGURES, write_sample
from panelwise.files.jsonl import write_lines

# Figures are drawn and pre-labelled.
pytestmark = pytest.mark.slow


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    write_sample(FIGURES, folder)
    done = invoke("run", folder / "figures.jsonl", "--out", folder / "predictions.jsonl", "--processes", 1)
    assert done.exit_code == 0, done.output
    lines = [
        {"caption_id": "c1", "caption": "(a) One. (b) Two.", "panel_labels": ["a", "b"], "doi": "10.1/x"},
        {"caption_id": "c2", "caption": "(a) One.", "panel_labels": ["a", "c"], "labels_contiguous": False},
    ]
    (folder / "captions.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return folder


def test_one_command_tells_every_number_and_the_worst(drawn: Path) -> None:
    done = invoke(
        "evaluate", drawn / "annotations.jsonl", "--figures", drawn / "figures.jsonl",
        "--captions", drawn / "captions.jsonl", "--processes", 1, "--bootstrap", 100, "--apart-least", 1,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    for name in ("box F1 at IoU 0.50", "mean IoU of matches", "subcaptions, gold boxes", "end to end (paper)",
                 "saved: box operations", "saved: seconds", "caption labels: set", "kept apart"):  # fmt: skip
        assert name in done.stdout
    assert "(1 caption with known labels)" in done.stdout


def test_predictions_of_a_file_score_as_those_made_anew(drawn: Path) -> None:
    common = ("evaluate", drawn / "annotations.jsonl", "--figures", drawn / "figures.jsonl", "--bootstrap", 0,
              "--processes", 1, "--format", "json")  # fmt: skip
    anew, kept = (
        json.loads(invoke(*common, *more).stdout)["measures"]
        for more in ((), ("--predictions", drawn / "predictions.jsonl"))
    )
    for key in ("box_f1_50", "mean_iou", "labels", "end_to_end", "saved_seconds"):
        assert anew[key] == kept[key], key
    assert "text_given_boxes_alone" not in kept


def test_tables_have_a_row_a_figure(drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    for command in (
        ("evaluate", drawn / "annotations.jsonl", "--predictions", drawn / "predictions.jsonl"),
        ("effort", drawn / "annotations.jsonl", drawn / "predictions.jsonl"),
    ):
        done = invoke(*command, "--format", "csv", "--out", out, "--bootstrap", 0)
        assert done.exit_code == 0, done.output
        rows = list(csv.DictReader(io.StringIO(out.read_text("utf-8"))))
        assert len(rows) == 6
        assert len({row["figure_id"] for row in rows}) == 6


def test_effort_is_told_as_text_and_as_json(drawn: Path) -> None:
    command = ("effort", drawn / "annotations.jsonl", drawn / "predictions.jsonl", "--bootstrap", 50)
    text = invoke(*command, "--figures", drawn / "figures.jsonl")
    assert text.exit_code == 0, text.output
    assert "from nothing" in text.stdout
    assert "0.500" not in text.stderr
    assert max(map(len, text.stdout.splitlines())) <= 80
    record = json.loads(invoke(*command, "--format", "json", "--operator", "M=0").stdout)
    assert record["operators"]["M"] == 0.0
    assert record["saved"]["box_operations"]["from_nothing"] == record["from_nothing"]["added"]


def test_the_gold_against_itself_leaves_a_look_a_figure(drawn: Path) -> None:
    gold = drawn / "annotations.jsonl"
    record = json.loads(invoke("effort", gold, gold, "--format", "json").stdout)
    assert record["saved"]["box_operations"]["all"]["value"] == 1.0
    assert record["saved"]["tokens_toggled"]["all"]["value"] == 1.0
    assert record["saved"]["seconds"]["needed"] == pytest.approx(6 * 1.55)


def test_figures_that_only_one_side_has_are_named(drawn: Path, tmp_path: Path) -> None:
    lines = (drawn / "predictions.jsonl").read_text("utf-8").splitlines()
    (tmp_path / "some.jsonl").write_text("\n".join(lines[1:]), "utf-8")
    name = json.loads(lines[0])["figure_id"]
    done = invoke("effort", drawn / "annotations.jsonl", tmp_path / "some.jsonl", "--bootstrap", 0)
    assert "figures without a prediction, done from nothing: 1" in done.stdout
    assert name in done.stdout
    done = invoke(
        "evaluate", drawn / "annotations.jsonl", "--predictions", tmp_path / "some.jsonl", "--format", "json"
    )
    assert json.loads(done.stdout)["without_prediction"] == [name]


def test_an_image_that_cannot_be_read_is_told_and_the_rest_is_scored(drawn: Path, tmp_path: Path) -> None:
    lines = (drawn / "figures.jsonl").read_text("utf-8").splitlines()
    first = {**json.loads(lines[0]), "image": "gone.png"}
    (tmp_path / "figures.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]), "utf-8")
    done = invoke(
        "evaluate", drawn / "annotations.jsonl", "--figures", tmp_path / "figures.jsonl", "--images", drawn,
        "--processes", 1, "--bootstrap", 0,
    )  # fmt: skip
    assert done.exit_code == 1
    assert "gone.png" in done.stderr
    assert "gold figures without a prediction, left out: 1" in done.stdout
    assert "Traceback" not in done.output


def test_options_that_do_not_fit_are_wrong_usage(drawn: Path) -> None:
    gold = drawn / "annotations.jsonl"
    assert invoke("evaluate", gold).exit_code == 2
    assert invoke("evaluate", gold, "--predictions", gold, "--images", drawn).exit_code == 2
    assert invoke("effort", gold).exit_code == 2


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--apart", "10.1/nowhere"), "10.1/nowhere"),
        (("--operator", "K=soon"), "is no operator"),
        (("--gold-annotator", "nobody"), "nobody"),
    ],
)
def test_a_choice_that_is_not_there_is_one_line(drawn: Path, options: tuple[str, ...], complaint: str) -> None:
    done = invoke("effort", drawn / "annotations.jsonl", drawn / "predictions.jsonl", *options)
    assert done.exit_code == 1
    assert complaint in str(done.exception)


def test_bad_lines_of_captions_are_told(drawn: Path, tmp_path: Path) -> None:
    captions = tmp_path / "captions.jsonl"
    captions.write_text('{"caption_id": "c", "caption": "x", "panel_labels": [1]}\n{"caption"', "utf-8")
    done = invoke(
        "evaluate", drawn / "annotations.jsonl", "--predictions", drawn / "predictions.jsonl",
        "--captions", captions, "--bootstrap", 0,
    )  # fmt: skip
    assert done.exit_code == 1
    assert "captions.jsonl:1" in done.stderr
    assert "captions.jsonl:2" in done.stderr


def test_the_peoples_agreement_stands_beside_the_score(drawn: Path, tmp_path: Path) -> None:
    people = tmp_path / "people.jsonl"
    gold = [json.loads(line) for line in (drawn / "annotations.jsonl").read_text("utf-8").splitlines()]
    write_lines(people, ({**each, "annotator": name} for each in gold for name in ("ann", "ben")))
    common = (
        drawn / "annotations.jsonl",
        "--figures",
        drawn / "figures.jsonl",
        "--bootstrap",
        20,
        "--processes",
        1,
    )
    text = invoke("evaluate", *common, "--people", people).stdout
    assert "human ceiling      IAA of 2 annotators" in text
    found = json.loads(invoke("evaluate", *common, "--people", people, "--format", "json").stdout)
    [gap] = found["ceiling"]["gaps"]
    assert gap["predicted"] == found["model"]
    assert gap["people"] == 1.0
    assert gap["score"] == pytest.approx(1 - sum(found["losses"].values()), abs=1e-12)
    assert gap["gap"] == 1.0 - gap["score"]
    assert invoke("evaluate", *common, "--people-phase", "1").exit_code == 2


@pytest.mark.parametrize("lacking", [("caption", "tokens"), ("width", "height"), ("width", "height", "caption")])
def test_predictions_without_size_or_caption_score_as_with_those_of_the_gold(
    drawn: Path, tmp_path: Path, lacking: tuple[str, ...]
) -> None:
    whole = list(map(json.loads, (drawn / "predictions.jsonl").read_text("utf-8").splitlines()))
    write_lines(
        tmp_path / "bare.jsonl",
        [{key: value for key, value in each.items() if key not in lacking} for each in whole],
    )
    common = ("evaluate", drawn / "annotations.jsonl", "--bootstrap", 0, "--format", "json")
    expected, found = (
        invoke(*common, "--predictions", path) for path in (drawn / "predictions.jsonl", tmp_path / "bare.jsonl")
    )
    assert (found.exit_code, found.stdout) == (0, expected.stdout)
    assert json.loads(found.stdout)["without_prediction"] == []


def test_any_detector_is_scored_without_the_table_too(drawn: Path) -> None:
    common = ("evaluate", drawn / "annotations.jsonl", "--figures", drawn / "figures.jsonl", "--bootstrap", 0,
              "--processes", 1, "--format", "json")  # fmt: skip
    for name, version in (
        ("both", "both-1"),
        ("classic", "classic-8"),
        ("panel-net", "panel-net-c57eca7d+classic-8"),
    ):
        done = invoke(*common, "--detector", name)
        assert done.exit_code == 0, done.output
        found = json.loads(done.stdout)
        assert found["model"] == version
        assert found["measures"]["box_f1_50"]["all"]["value"] > 0.8


def test_what_no_detector_can_be_for_is_wrong_usage(drawn: Path) -> None:
    gold = ("evaluate", drawn / "annotations.jsonl")
    made = invoke(*gold, "--predictions", drawn / "predictions.jsonl", "--detector", "both")
    assert made.exit_code == 2
    assert "--detector can't be combined with --predictions" in made.stderr
    table = invoke(*gold, "--figures", drawn / "figures.jsonl", "--table", "--detector", "both")
    assert table.exit_code == 2
    assert "--table measures a detector alone" in " ".join(table.stderr.split())
