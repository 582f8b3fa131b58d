"""`annotator corpus join`: by number, by caption, never by caption against the numbers; bad lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from running import run_command

from annotator.cli.campaign.main import group as annotator
from annotator.corpus.join import join
from panelwise.files.jsonl import Problems, write_lines

WORDS = "one two three four five six seven eight nine ten"


def a_line(name: str, caption: str, *references: str, label: str = "", **source: str) -> dict[str, Any]:
    mentions = [{"sentence": each, "kind": "link"} for each in references]
    return {
        "figure_id": name,
        "label": label,
        "caption": caption,
        "references": list(references),
        "mentions": mentions,
        "source": {"doi": "10.1/x", **source},
    }


def joined(tmp_path: Path, figures: list[dict[str, Any]], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    write_lines(tmp_path / "figures.jsonl", figures)
    write_lines(tmp_path / "others.jsonl", others)
    out, problems = tmp_path / "out.jsonl", Problems()
    for _ in join(tmp_path / "figures.jsonl", tmp_path / "others.jsonl", out, problems):
        pass
    assert problems.lines == []
    return [json.loads(each) for each in out.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("label", "caption", "other", "same"),
    [
        ("Fig. 2", "A lung.", "Figure 2: A heart.", True),
        ("", "Figure S2. A lung.", "FIG S2 A heart", True),
        ("Fig. 2", WORDS, f"Figure 3: {WORDS}", False),
        ("Fig. 2", WORDS, WORDS.upper(), True),
        ("", f"{WORDS}!", f"({WORDS.removesuffix(' ten')})", True),
        ("", WORDS, WORDS.removesuffix(" nine ten"), False),
        ("", "", "", False),
    ],
)
def test_figures_are_joined_by_number_else_by_caption(
    tmp_path: Path, label: str, caption: str, other: str, same: bool
) -> None:
    (record,) = joined(tmp_path, [a_line("f1", caption, label=label)], [a_line("o1", other, "Seen.")])
    assert (record["references"] == ["Seen."]) is same


def test_references_of_both_stand_once_and_the_rest_stays(tmp_path: Path) -> None:
    figure = a_line("f1", "Figure 1. Lung.", "Both say this.", "Ours.") | {"image": "f1.png", "own": [1]}
    other = a_line("o1", "Figure 1. Lung.", "Theirs.", "Both say this.")
    (record,) = joined(tmp_path, [figure], [other])
    assert record["references"] == ["Both say this.", "Ours.", "Theirs."]
    assert [each["sentence"] for each in record["mentions"]] == record["references"]
    assert {key: record[key] for key in ("figure_id", "image", "own", "source")} == {
        key: figure[key] for key in ("figure_id", "image", "own", "source")
    }


@pytest.mark.parametrize(
    "doi",
    [
        "doi:10.1/abc",
        "https://doi.org/10.1/Abc",
        "http://dx.doi.org/10.1/abc",
        "DOI: 10.1/ABC",
        "doi.org/10.1%2Fabc ",
    ],
)
def test_a_doi_is_one_article_in_any_spelling(tmp_path: Path, doi: str) -> None:
    named = a_line("f", "Figure 1", doi="10.1/AbC")
    for other in ({"doi": doi}, {"doi": "", "document": doi}):
        (found,) = joined(tmp_path, [named], [a_line("o", "Figure 1", "See.", **other)])
        assert found["references"] == ["See."]
    unnamed = a_line("f", "Figure 1", doi="", document="x")
    (found,) = joined(tmp_path, [unnamed], [a_line("o", "Figure 1", "See.", doi=doi)])
    assert found["references"] == []


def test_articles_are_the_same_by_doi_or_pmc_id(tmp_path: Path) -> None:
    figures = [
        a_line("doi", "Figure 1", doi="10.1/ABC"),
        a_line("pmcid", "Figure 1", doi="", pmcid="PMC7"),
        a_line("other", "Figure 1", doi="10.1/other"),
        a_line("none", "Figure 1", doi=""),
    ]
    others = [
        a_line("o0", "Figure 1", "No article.", doi=""),
        a_line("o1", "Figure 1", "By DOI.", doi="10.1/abc"),
        a_line("o2", "Figure 1", "By PMC id.", doi="", document="PMC7"),
    ]
    found = {each["figure_id"]: each["references"] for each in joined(tmp_path, figures, others)}
    assert found == {"doi": ["By DOI."], "pmcid": ["By PMC id."], "other": [], "none": []}


def test_bad_lines_of_either_file_are_named_and_the_rest_is_joined(tmp_path: Path) -> None:
    figures, others, out = (tmp_path / f"{name}.jsonl" for name in ("figures", "others", "out"))
    good, other = a_line("f1", "Figure 1"), a_line("o1", "Figure 1", "Seen.")
    figures.write_text(f"{{}}\n{json.dumps(good)}\n", encoding="utf-8")
    others.write_text(f"no JSON\n\n{json.dumps(other)}\n", encoding="utf-8")
    done = run_command(annotator, "annotator", "corpus", "join", figures, others, "--out", out)
    assert done.returncode == 1
    assert done.stdout == (
        "joined 1 of 1 figure (1 by number, 0 by caption); added 1 reference; see the 2 errors above\n"
    )
    assert [line.partition(": ")[0] for line in done.stderr.splitlines()] == [f"{others}:1", f"{figures}:1"]


def test_an_article_is_known_by_the_pmc_id_in_its_images_name_or_path(tmp_path: Path) -> None:
    figures = [
        a_line("name", "Figure 1", doi="") | {"image": "PMC7_g1.jpg"},
        a_line("path", "Figure 1", doi="") | {"image": "oa/PMC8/g1.jpg"},
        a_line("within-a-word", "Figure 1", doi="") | {"image": "XPMC7.jpg"},
    ]
    others = [a_line(f"o{n}", "Figure 1", f"Of {n}.", doi="", pmcid=f"PMC{n}") for n in (7, 8)]
    found = {each["figure_id"]: each["references"] for each in joined(tmp_path, figures, others)}
    assert found == {"name": ["Of 7."], "path": ["Of 8."], "within-a-word": []}


def test_references_of_medicats_release_stay_under_its_own_key(tmp_path: Path) -> None:
    figure = {"pdf_hash": "ab12", "fig_uri": "PMC7/1-Figure1-1.png", "s2_caption": "Figure 1: A lung."}
    (record,) = joined(tmp_path, [figure], [a_line("o", "Figure 1", "Seen.", doi="", pmcid="PMC7")])
    assert record["s2orc_references"] == ["Seen."]
    assert "references" not in record
    assert record | figure == record
