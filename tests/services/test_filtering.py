"""`annotator corpus filter`: keywords, licences, exclusion lists, bad lines."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from running import run_command

from annotator.cli.campaign.main import group as annotator
from annotator.corpus.selection.keywords import MEDICAL, Keywords
from panelwise.domain.errors import FormatError


def a_line(name: str, caption: str = "Chest CT.", **others: Any) -> dict[str, Any]:
    source = {"document": "PMC1", "pmcid": "PMC1", "licence": "CC BY 4.0"} | others.pop("source", {})
    return {"figure_id": name, "caption": caption, "image": f"{name}.jpg", "source": source, **others}


def write(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(f"{json.dumps(each)}\n" for each in records), encoding="utf-8")
    return path


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(each) for each in path.read_text(encoding="utf-8").splitlines()]


def filtered(tmp_path: Path, *options: object) -> tuple[list[str], str, object]:
    """Return the ids that remain of figures.jsonl, stdout with stderr, and the exit status."""
    out = tmp_path / "out.jsonl"
    done = run_command(
        annotator, "annotator", "corpus", "filter", tmp_path / "figures.jsonl", "--out", out, *options
    )
    names = [each.get("figure_id", "") for each in lines(out)] if out.exists() else []
    return names, done.stdout + done.stderr, done.returncode


@pytest.mark.parametrize(
    ("text", "in_lower_case", "expected"),
    [
        ("A CAT scan.", set(), {"CAT", "scan"}),
        ("The cat was scanned; acts, CTs.", {"CAT"}, {"CT"}),
        ("pet owners and PETROL", {"PET"}, set()),
        ("PET-MRI of mice", set(), {"PET-MRI", "PET", "MRI"}),
        ("pet-mri", {"PET-MRI", "PET", "MRI"}, set()),
        ("FMRI, x rays and an X-Ray", set(), {"fMRI", "X-ray"}),
        ("Tomographies, ultrasounds", set(), {"ultrasound"}),
    ],
)
def test_keywords_are_whole_words_in_any_case_or_with_their_capitals(
    text: str, in_lower_case: set[str], expected: set[str]
) -> None:
    keywords = Keywords.read(MEDICAL)
    assert keywords.find([text]) == expected | in_lower_case
    assert keywords.find_as_written([text]) == expected


def test_both_counts_of_keywords_are_printed_and_capitals_are_an_option(tmp_path: Path) -> None:
    write(tmp_path / "figures.jsonl", a_line("f1"), a_line("f2", "A cat at rest."), a_line("f3", "A leaf."))
    names, text, _ = filtered(tmp_path)
    assert names == ["f1", "f2"]
    assert "2 figures with a keyword in upper or lower case, 1 with those in capitals as written" in text
    assert filtered(tmp_path, "--capitals")[0] == ["f1"]
    assert filtered(tmp_path, "--capitals", "--no-keywords")[2] == 2


def test_the_list_of_the_paper_is_complete() -> None:
    assert len(Keywords.read(MEDICAL).names) == 39


def test_records_are_copied_unchanged_and_reasons_are_counted(tmp_path: Path) -> None:
    by_reference = a_line("f2", "A photograph.", references=["Seen by MRI (Fig. 2)."], mentions=[{"kind": "link"}])
    write(
        tmp_path / "figures.jsonl",
        a_line("f1"),
        by_reference,
        a_line("f3", "A leaf."),
        a_line("f4", source={"licence": "CC BY-NC 4.0"}),
        a_line("f5", source={"licence": ""}),
    )
    dropped = tmp_path / "dropped.jsonl"
    names, text, status = filtered(tmp_path, "--licence", "CC-BY", "--dropped", dropped)
    assert (names, status) == (["f1", "f2"], 0)
    assert lines(tmp_path / "out.jsonl")[1] == by_reference
    assert lines(dropped) == [
        {"figure_id": "f3", "reason": "no keyword", "detail": ""},
        {"figure_id": "f4", "reason": "licence not allowed", "detail": "CC-BY-NC-4.0"},
        {"figure_id": "f5", "reason": "licence not allowed", "detail": "not stated"},
    ]
    assert text.splitlines()[:3] == [
        "wrote 2 of 5 figures",
        "dropped 2: licence not allowed",
        "dropped 1: no keyword",
    ]
    assert {"       1 CT", "       1 MRI"} <= set(text.splitlines())


def test_exclusion_lists_name_figures_articles_and_captions(tmp_path: Path) -> None:
    write(
        tmp_path / "figures.jsonl",
        a_line("by-id"),
        a_line("by-article", source={"document": "PMC2", "pmcid": "PMC2"}),
        a_line("by-doi", source={"document": "PMC3", "pmcid": "PMC3", "doi": "10.1/x"}),
        a_line("by-caption", "(A) CT; of the chest", source={"document": "PMC4", "pmcid": "PMC4"}),
        a_line("other-article", "(A) CT; of the chest", source={"document": "PMC5", "pmcid": "PMC5"}),
        a_line("other-caption", "CT of the head", source={"document": "PMC4", "pmcid": "PMC4"}),
    )
    ids = tmp_path / "ids.txt"
    ids.write_text("# ours\nby-id\nPMC2\n10.1/x\n", encoding="utf-8")
    roco = tmp_path / "roco.csv"
    roco.write_text('id,image,caption\nROCO_1,PMC4_g001.jpg,"(a) ct, of the CHEST"\n', encoding="utf-8")
    names, text, status = filtered(tmp_path, "--no-keywords", "--exclude-list", ids, "--exclude-list", roco)
    assert (names, status) == (["other-article", "other-caption"], 0)
    assert "dropped 4: on an exclusion list" in text
    assert "note" not in text


LONG = "Axial computed tomography of the pelvis shows a tube in the bladder (arrow)."


def roco(folder: Path, split: str, **lists: str) -> Path:
    """Return a folder of ROCO's lists, `split` below it; lists: name without ending -> content."""
    (folder / split).mkdir(parents=True)
    for name, content in lists.items():
        (folder / split / f"{name}.txt").write_text(content, encoding="utf-8")
    return folder


def link(roco_id: str, pmcid: str, image: str) -> str:
    return f"{roco_id}\twget -r ftp://ftp.example.org/oa_package/cb/dd/{pmcid}.tar.gz -P /path/to/Dir\t{image}\n"


def test_lists_of_roco_leave_out_its_images_and_no_others_of_their_articles(tmp_path: Path) -> None:
    seven: dict[str, Any] = {"source": {"document": "PMC7", "pmcid": "PMC7"}}
    write(
        tmp_path / "figures.jsonl",
        a_line("image", **seven) | {"image": "figures/Aa-1-g001.tif"},
        a_line("other-format", **seven) | {"graphics": ["aa-1-g002.gif", "aa-1-g002.jpg"]},
        a_line("same-caption", "Chest radiograph, arrow.", **seven),
        a_line("short-caption-elsewhere", "Chest radiograph, arrow."),
        a_line("long-caption", LONG),
        a_line("neighbour", "A leaf.", **seven),
    )
    links = link("ROCO_1", "PMC7", "aa-1-g001.jpg") + link("ROCO_2", "PMC7", "x.jpg")
    folder = roco(
        tmp_path / "roco",
        "data/train/radiology",
        dlinks=links + "broken\n",
        captions=f"ROCO_2\t Chest radiograph; arrow\nROCO_9\t {LONG}\n",
        licences="ROCO_ID,PMC_ID,CC\nROCO_3,PMC7_aa-1-g002.jpg,CC BY\n",
    )
    names, text, status = filtered(tmp_path, "--no-keywords", "--exclude-list", folder)
    assert names == ["short-caption-elsewhere", "neighbour"]
    assert status == 1
    assert [line for line in text.splitlines() if "dlinks.txt:3" in line]


def test_the_tables_of_roco_leave_out_its_images(tmp_path: Path) -> None:
    image = a_line("image", "Seen here.") | {"image": "PMC8_g1.jpg", "source": {}}
    write(tmp_path / "figures.jsonl", image, a_line("other", source={"pmcid": "PMC8", "document": "PMC8"}))
    table = tmp_path / "radiologytraindata.csv"
    table.write_text('id,name,caption\nROCO_4,PMC8_g1.jpg,"A scan, seen here"\n', encoding="utf-8")
    assert filtered(tmp_path, "--no-keywords", "--exclude-list", table)[0] == ["other"]


def test_a_list_of_which_nothing_fits_is_named_with_its_first_entry(tmp_path: Path) -> None:
    write(tmp_path / "figures.jsonl", a_line("f1"))
    (tmp_path / "ids.txt").write_text("figure-1\nfigure-2\n", encoding="utf-8")
    names, text, status = filtered(tmp_path, "--exclude-list", tmp_path / "ids.txt")
    assert (names, status) == (["f1"], 0)
    assert f'{tmp_path}/ids.txt: no entry is of any of these figures (its first is "figure-1")' in text
    empty = tmp_path / "empty"
    empty.mkdir()
    names, text, status = filtered(tmp_path, "--exclude-list", empty)
    assert status == 1
    assert "holds no list of ROCO's" in text


def test_own_keywords_replace_the_medical_ones(tmp_path: Path) -> None:
    write(tmp_path / "figures.jsonl", a_line("f1"), a_line("f2", "Leaf discs under light."))
    own = tmp_path / "own.txt"
    own.write_text("# plants\n\nleaf disc\n", encoding="utf-8")
    assert filtered(tmp_path, "--keywords", own)[0] == ["f2"]
    own.write_text("--\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r'own.txt: keyword "--" has no letters'):
        Keywords.read(own)


def test_bad_lines_are_named_and_the_rest_is_filtered(tmp_path: Path) -> None:
    path = write(tmp_path / "figures.jsonl", a_line("f1"), a_line("f1"), {"caption": "CT"}, a_line("f2"))
    with path.open("ab") as file:
        file.write(b'{"figure_id": "cut\n')
    names, text, status = filtered(tmp_path)
    assert (names, status) == (["f1", "f2"], 1)
    named = [each for each in text.splitlines() if each.startswith(str(path))]
    assert [each.removeprefix(f"{path}:").partition(":")[0] for each in named] == ["2", "3", "5"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"", "is empty"), (b"caf\xe9", "not UTF-8"), (b"\x89PNG\r\n\x1a\n\0", "no text file")],
)
def test_a_bad_list_ends_the_command_in_one_line(tmp_path: Path, content: bytes, problem: str) -> None:
    write(tmp_path / "figures.jsonl", a_line("f1"))
    bad = tmp_path / "bad.txt"
    bad.write_bytes(content)
    for option in ("--keywords", "--exclude-list"):
        names, text, status = filtered(tmp_path, option, bad)
        assert (names, status) == ([], 1)
        assert problem in text
        assert len(text.splitlines()) == 1


def test_no_input_is_written_over(tmp_path: Path) -> None:
    path = write(tmp_path / "figures.jsonl", a_line("f1"))
    before = path.read_bytes()
    command = ("annotator", "corpus", "filter", path, "--out")
    assert run_command(annotator, *command, path).returncode == 1
    out = tmp_path / "out.jsonl"
    assert run_command(annotator, *command, out, "--dropped", out).returncode == 2
    assert path.read_bytes() == before


def test_images_nearly_the_same_as_an_earlier_one_are_dropped(tmp_path: Path) -> None:
    pytest.importorskip("imagehash", reason="install panelwise[corpus]")
    images = tmp_path / "images"
    images.mkdir()
    noise = random.Random(1)

    def blocks() -> Image.Image:
        return Image.frombytes("L", (12, 9), noise.randbytes(12 * 9)).resize((240, 180), Image.Resampling.NEAREST)

    first, second = blocks(), blocks()
    first.save(images / "first.png")
    second.save(images / "second.png")
    first.resize((120, 90)).save(images / "scaled.png")
    first.save(images / "saved.jpg", quality=40)
    (images / "damaged.png").write_bytes((images / "first.png").read_bytes()[:99])
    files = ("first.png", "second.png", "scaled.png", "saved.jpg", "damaged.png", "missing.png", "")
    records = [a_line(f"f{number}") | {"image": file} for number, file in enumerate(files)]
    write(tmp_path / "figures.jsonl", a_line("leaf", "A leaf.") | {"image": "first.png"}, *records)
    dropped = tmp_path / "dropped.jsonl"
    names, text, status = filtered(tmp_path, "--images", images, "--dropped", dropped)
    assert (names, status) == (["f0", "f1", "f4", "f5", "f6"], 1)
    assert [(each["figure_id"], each["detail"]) for each in lines(dropped)] == [
        ("leaf", ""),
        ("f2", "f0"),
        ("f3", "f0"),
    ]
    assert "dropped 2: image nearly that of an earlier figure" in text
    problems = [
        each for each in text.splitlines() if "damaged.png" in each or "missing.png" in each or '"f6"' in each
    ]
    assert len(problems) == 3


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imagehash", None)
    write(tmp_path / "figures.jsonl", a_line("f1"))
    names, text, status = filtered(tmp_path, "--images", tmp_path)
    assert (names, status) == ([], 1)
    assert text == 'error: --images needs panelwise[corpus]; pip install "panelwise[corpus]"\n'


def test_captions_under_another_name_are_never_figures_without_a_keyword(tmp_path: Path) -> None:
    records = [{"figure_id": f"f{number}", "description": "Chest CT."} for number in range(2)]
    write(tmp_path / "figures.jsonl", *records, {"figure_id": "f2", "legend": "Chest CT.", "caption": None})
    arguments = ("corpus", "filter", tmp_path / "figures.jsonl", "--out", tmp_path / "out.jsonl")
    done = run_command(annotator, "annotator", *arguments)
    refused, noted = done.stderr.splitlines()[:2]
    assert done.returncode == 1
    assert '"caption" is missing, but "legend" holds a text; name it "caption"' in refused
    assert noted.endswith(
        'without a caption: 2 figures, the first "f0", "f1"; 2 of them with a text under "description": rename it '
        'to "caption" if that is the caption'
    )


def a_release_line(paper: str, uri: str, caption: str, **others: Any) -> dict[str, Any]:
    """Return a line of MedICaT's release."""
    return {"pdf_hash": paper, "fig_uri": uri, "fig_key": "Figure1", "s2_caption": caption} | others


def test_medicats_release_is_filtered_and_its_lines_are_copied_unchanged(tmp_path: Path) -> None:
    kept = a_release_line("ab12", "3-Figure1-1.png", "A leaf.", s2orc_references=["An MRI (Fig. 1)."])
    others = [
        a_release_line("ab12", "4-Figure2-1.png", "A leaf."),
        a_release_line("cd34", "1-Figure1-1.png", "CT"),
    ]
    write(tmp_path / "figures.jsonl", kept, *others)
    ids = tmp_path / "ids.txt"
    ids.write_text("cd34\n", encoding="utf-8")
    _, text, status = filtered(tmp_path, "--exclude-list", ids, "--dropped", tmp_path / "dropped.jsonl")
    assert status == 0, text
    assert lines(tmp_path / "out.jsonl") == [kept]
    assert [(each["figure_id"], each["detail"]) for each in lines(tmp_path / "dropped.jsonl")] == [
        ("ab12_4-Figure2-1.png", ""),
        ("cd34_1-Figure1-1.png", "article"),
    ]
