import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from annotator.cli.prelabel import group
from panelwise.domain.caption import Caption
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import read_predictions
from prelabel.captions.parser import ParsedCaption, parse_caption

# Figures are drawn or models run in processes of their own.
pytestmark = pytest.mark.slow


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    result = invoke("synth", "--out", folder)
    assert result.exit_code == 0, result.output
    assert "drew 6 figures" in result.stdout
    return folder


def test_run_on_a_file_needs_no_home_and_writes_the_annotations_layout(drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "predictions.jsonl"
    result = invoke("run", drawn / "figures.jsonl", "--out", out)
    assert result.exit_code == 0, result.output
    assert result.stdout == "pre-labelled 6 figures\n"
    records = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert {record["annotator"] for record in records} == {"classic-8"}
    assert all(0 <= subfigure["score"] <= 1 for record in records for subfigure in record["subfigures"])
    problems = Problems()
    assert len(list(read_predictions(out, problems))) == 6
    assert not problems.count


def test_a_bad_record_and_a_bad_image_are_told_and_the_rest_is_written(drawn: Path, tmp_path: Path) -> None:
    lines = (drawn / "figures.jsonl").read_text("utf-8").splitlines()[:2]
    lines += ['{"figure_id": "gone", "image": "gone.png", "caption": ""}', '{"figure_id": ']
    (tmp_path / "figures.jsonl").write_text("\n".join(lines), "utf-8")
    out = tmp_path / "predictions.jsonl"
    result = invoke("run", tmp_path / "figures.jsonl", "--images", drawn, "--out", out)
    assert result.exit_code == 1
    assert result.stdout == "pre-labelled 2 figures; see the 2 errors above\n"
    assert 'figure "gone"' in result.stderr
    assert "figures.jsonl:4: not valid JSON" in result.stderr
    assert "Traceback" not in result.output
    assert len(out.read_text("utf-8").splitlines()) == 2


def test_options_that_do_not_fit_are_wrong_usage(drawn: Path, tmp_path: Path) -> None:
    assert invoke("run", drawn / "figures.jsonl").exit_code == 2
    assert invoke("run", "--out", tmp_path / "x.jsonl").exit_code == 2


def test_captions_are_read_without_images(tmp_path: Path) -> None:
    text = "Title 😀. (A) Left. (B) Right."
    lines = [json.dumps({"caption_id": "c1", "caption": text}), json.dumps({"caption_id": "c2", "caption": None})]
    (tmp_path / "captions.jsonl").write_text("\n".join([*lines, '{"caption": "x"}']), "utf-8")
    out = tmp_path / "out.jsonl"
    result = invoke("captions", tmp_path / "captions.jsonl", "--out", out)
    assert result.exit_code == 1
    assert '"caption_id" is missing' in result.stderr
    one, two = (json.loads(line) for line in out.read_text("utf-8").splitlines())
    assert one["labels"] == ["A", "B"]
    assert [text[start:end] for start, end in one["subcaptions"]["B"]] == ["(B) Right."]
    assert two == {"caption_id": "c2", "labels": [], "subcaptions": {}}


def test_figures_are_drawn_anew_into_their_own_folder_and_into_no_other(drawn: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for seed, count in ((4, 7), (5, 6)):
        assert invoke("synth", "--out", out, "--figures", count, "--seed", seed).exit_code == 0
    names = [json.loads(line)["figure_id"] for line in (out / "figures.jsonl").read_text("utf-8").splitlines()]
    assert names == [f"sim-00000{number}" for number in range(1, 7)]
    assert len(list(out.iterdir())) == 8
    (out / "notes.txt").write_text("mine")
    refused = invoke("synth", "--out", out)
    assert refused.exit_code != 0
    assert "notes.txt" in str(refused.exception)
    assert (out / "sim-000001.png").exists() or (out / "sim-000001.jpg").exists()


def test_difficulty_and_a_contact_sheet_can_be_asked_for(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.png"
    options = ("--figures", 3, "--difficulty", "hard", "--sheet", sheet, "--sheet-boxes")
    assert invoke("synth", "--out", tmp_path / "out", *options).exit_code == 0
    with Image.open(sheet) as image:
        assert image.width == 1400
    records = [json.loads(line) for line in (tmp_path / "out" / "figures.jsonl").read_text("utf-8").splitlines()]
    assert {record["source"]["difficulty"] for record in records} == {"hard"}
    wrong = invoke("synth", "--out", tmp_path / "out", "--sheet", tmp_path / "sheet.gif")
    assert "ends in .png or .jpg" in str(wrong.exception)


def test_figures_are_composed_of_good_pictures_and_a_bad_line_sets_the_exit_status(tmp_path: Path) -> None:
    Image.new("RGB", (90, 60), (120, 40, 200)).save(tmp_path / "lung.png")
    good = {"picture_id": "lung", "image": "lung.png", "kind": "radiology", "single": True}
    good |= {"source": "lab/lungs@1f2e:lung.png", "licence": "CC-BY-4.0"}
    lines = [good, {"picture_id": "gone"}, good | {"picture_id": "none", "image": "none.png"}]
    (tmp_path / "pictures.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    out, sheet = tmp_path / "out", tmp_path / "sheet.png"
    done = invoke("compose", tmp_path, "--out", out, "--figures", 5, "--sheet", sheet, "--sheet-boxes")
    assert done.exit_code == 1
    assert done.stdout == f"composed 5 figures of 1 picture into {out}; see the 2 errors above\n"
    assert "pictures.jsonl:2: " in done.stderr
    assert "pictures.jsonl:3: image none.png does not exist" in done.stderr
    records = [json.loads(line) for line in (out / "figures.jsonl").read_text("utf-8").splitlines()]
    assert {record["source"]["licence"] for record in records} <= {"CC-BY-4.0", "Apache-2.0"}
    assert len((out / "annotations.jsonl").read_text("utf-8").splitlines()) == 5
    with Image.open(sheet) as image:
        assert image.width == 1400
    again = invoke("compose", tmp_path, "--out", tmp_path)
    assert again.exit_code == 1
    assert (tmp_path / "lung.png").exists()
    boxed = invoke("compose", tmp_path, "--out", out, "--sheet-boxes")
    assert boxed.exit_code == 2 or "--sheet-boxes needs --sheet FILE" in str(boxed.exception)


def test_a_folder_of_images_is_pre_labelled_and_its_images_are_those_in_it(drawn: Path, tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    name = next(each.name for each in drawn.iterdir() if each.stem == "sim-000001")
    (tmp_path / "images" / name).write_bytes((drawn / name).read_bytes())
    done = invoke("run", tmp_path / "images", "--out", tmp_path / "out.jsonl", "--ocr", "off")
    assert (done.exit_code, done.stdout) == (0, "pre-labelled 1 figure\n"), done.stderr


def test_a_caption_that_the_grammar_fails_on_costs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(caption: Caption) -> ParsedCaption:
        if caption.text == "Odd.":
            raise IndexError("none")
        return parse_caption(caption)

    monkeypatch.setattr("prelabel.captions.parser.parse_caption", broken)
    records = [{"caption_id": f"c{n}", "caption": each} for n, each in enumerate(("Odd.", "(A) Oak. (B) Ash."))]
    (tmp_path / "in.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records), "utf-8")
    result = invoke("captions", tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl")
    assert result.exit_code == 1
    assert "in.jsonl:1: the caption is not read (IndexError: none, at test_prelabel_cli.py:" in result.stderr
    (line,) = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["labels"] == ["A", "B"]


def test_statistics_are_told_of_annotations_and_of_captions(drawn: Path, tmp_path: Path) -> None:
    told = invoke("statistics", drawn / "annotations.jsonl")
    assert told.exit_code == 0
    assert "figures                 6" in told.stdout
    assert "words in a subcaption" in told.stdout
    assert "letters stand" in invoke("statistics", drawn / "figures.jsonl").stdout
    captions = tmp_path / "captions.jsonl"
    lines = [
        json.dumps({"caption_id": "c1", "caption": "(A) Left. (B) Right.", "panel_labels": ["A", "B"]}),
        json.dumps({"caption_id": "c2", "caption": 7}),
    ]
    captions.write_text("\n".join(lines))
    told = invoke("statistics", captions)
    assert told.exit_code == 1
    assert "2: 100.0%" in told.stdout
    assert "captions.jsonl:2" in told.stderr


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom annotator.cli.prelabel import group\n"
        "for name in ('', 'run', 'synth', 'statistics', 'captions'):\n"
        "    assert CliRunner().invoke(group, [*filter(None, [name]), '--help']).exit_code == 0\n"
        "heavy = {'numpy', 'scipy', 'PIL', 'sqlalchemy', 'msgspec', 'torch', 'flask'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_simulated_annotators_work_on_the_simulated_figures(tmp_path: Path) -> None:
    options = ("--out", tmp_path / "out", "--figures", 3, "--annotators", 2)
    done = invoke("synth", *options)
    assert done.exit_code == 0
    assert "simulated 6 annotations" in done.output
    work = (tmp_path / "out" / "annotators.jsonl").read_bytes()
    records = [json.loads(line) for line in work.splitlines()]
    assert [(each["figure_id"], each["annotator"]) for each in records[:3]] == [
        ("sim-000001", "ann1"),
        ("sim-000001", "ann2"),
        ("sim-000002", "ann1"),
    ]
    # The folder counts as one of simulated figures, and the same seed gives the same work.
    assert invoke("synth", *options).exit_code == 0
    assert (tmp_path / "out" / "annotators.jsonl").read_bytes() == work
    assert invoke("synth", *options, "--carelessness", 3).exit_code == 0
    assert (tmp_path / "out" / "annotators.jsonl").read_bytes() != work
