"""`annotator corpus extract` on files with an article a line: S2ORC's releases and its datasets API."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from running import run_command

from annotator.cli.campaign.main import group as annotator
from annotator.corpus import shards
from annotator.corpus.extract import extract
from panelwise.files.jsonl import Problems


def a_paper(number: int, **more: Any) -> dict[str, Any]:
    """Return a line of `pdf_parses` with one figure, cited in one sentence."""
    return {
        "paper_id": str(number),
        "_pdf_hash": f"{number:x}",
        "body_text": [
            {"text": "See Figure 1B. Then.", "ref_spans": [{"start": 4, "end": 12, "ref_id": "FIGREF0"}]}
        ],
        "ref_entries": {"FIGREF0": {"text": f"FIG. 1. Leaf {number}.", "type": "figure"}},
        **more,
    }


def annotated(text: str, **ranges: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the content of a paper of the datasets API. ranges: kind -> texts with the ids that they have."""
    annotations: dict[str, str | None] = {"formula": None}
    for kind, parts in ranges.items():
        found = []
        for part, name in parts:
            start = text.index(part)
            about = {"attributes": {"ref_id" if kind == "figureref" else "id": name}} if name else {}
            found.append({"start": start, "end": start + len(part), **about})
        annotations[kind] = json.dumps(found)
    return {"text": text, "annotations": annotations}


TEXT = (
    "On leaves\nFigure 1 is announced here.\nWe saw it (Fig. 2a). Then Fig. 1.\nTable 1 has more.\n"
    "Figure 2 .\n2The stem of an oak.\nTab. 1\nNumbers of oaks.\n"
)
CONTENT = annotated(
    TEXT,
    abstract=[("Figure 1 is announced here.", "")],
    paragraph=[
        ("Figure 1 is announced here.", ""),
        ("We saw it (Fig. 2a). Then Fig. 1.", ""),
        ("Table 1 has more.", ""),
    ],
    figureref=[("Fig. 2a", "fig_1"), ("Fig. 1", "")],
    figure=[("Figure 2 .\n2The stem of an oak.\n", "fig_1"), ("Tab. 1\nNumbers of oaks.\n", "t1")],
    figurecaption=[("The stem of an oak.", ""), ("Numbers of oaks.", "")],
    table=[("Numbers of oaks.", "")],
)
IDS = {"doi": "10.1/oak", "pubmedcentral": "77", "arxiv": None}
FROM_API = {
    "s2orc": {"corpusid": 5, "externalids": IDS, "content": CONTENT | {"source": {"oainfo": {"license": "CCBY"}}}},
    "s2orc_v2": {
        "corpusid": 5,
        "title": "Oaks",
        "openaccessinfo": {"externalids": {"DOI": "10.1/oak", "PubMedCentral": "77"}, "license": "CCBY"},
        "body": CONTENT,
    },
}


def write(path: Path, records: Iterable[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(each if isinstance(each, str) else json.dumps(each) + "\n" for each in records).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def figures_of(path: Path, problems: Problems, *metadata: Path) -> list[dict[str, Any]]:
    out = path.parent / "out" / "figures.jsonl"
    list(extract(path, out, problems, metadata))
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["p.jsonl", "p.jsonl.gz", "p.ndjson", "20231027_p.gz"])
def test_each_line_of_a_release_is_an_article(tmp_path: Path, name: str) -> None:
    problems = Problems()
    path = write(tmp_path / name, [a_paper(1), a_paper(2, ref_entries={}), a_paper(3)])
    figures = figures_of(path, problems)
    assert [each["figure_id"] for each in figures] == ["1_FIGREF0", "3_FIGREF0"]
    assert [each["source"]["file"] for each in figures] == [f"{name}:1", f"{name}:3"]
    assert figures[0]["references"] == ["See Figure 1B."]
    assert figures[0]["mentions"][0]["panels"] == ["B"]
    assert problems.lines == []
    assert problems.notes == [
        f"{name}: of 3 papers: 2 figures without an image, 3 without a DOI or PMC id, 1 without figures, "
        "1 without their text, or with citations or captions of no figure"
    ]


@pytest.mark.parametrize("layout", FROM_API)
def test_papers_of_the_datasets_api_have_the_figures_captions_and_citations_that_it_marks(
    tmp_path: Path, layout: str
) -> None:
    problems = Problems()
    (figure,) = figures_of(write(tmp_path / "s2.gz", [FROM_API[layout]]), problems)
    assert (figure["figure_id"], figure["label"], figure["caption"]) == (
        "PMC77_fig_1",
        "Figure 2",
        "The stem of an oak.",
    )
    assert [(each["sentence"], each["kind"], each["panels"]) for each in figure["mentions"]] == [
        ("We saw it (Fig. 2a).", "link", ["A"])
    ]
    source = figure["source"]
    assert (source["document"], source["doi"], source["licence"]) == ("PMC77", "10.1/oak", "CCBY")
    assert problems.lines == []


def test_a_text_without_marked_paragraphs_is_read_line_by_line(tmp_path: Path) -> None:
    content = annotated(
        "Oaks.\nSee Fig. 1.\nFigure 1. A stem.",
        figure=[("Figure 1. A stem.", "fig_0")],
        figureref=[("Fig. 1", "fig_0")],
    )
    (figure,) = figures_of(write(tmp_path / "a.jsonl", [{"corpusid": 1, "content": content}]), Problems())
    assert (figure["caption"], figure["references"]) == ("Figure 1. A stem.", ["See Fig. 1."])


@pytest.mark.parametrize(
    ("articles", "metadata"),
    [
        ("full/pdf_parses/pdf_parses_0.jsonl.gz", "full/metadata/metadata_0.jsonl.gz"),
        ("sample/pdf_parses/sample.jsonl", "sample/metadata/sample.jsonl"),
        ("pdf_parses_7.jsonl", "metadata_7.jsonl.gz"),
        ("oaks.jsonl.gz", "metadata.jsonl"),
    ],
)
def test_the_metadata_file_beside_a_release_gives_dois_and_pmc_ids(
    tmp_path: Path, articles: str, metadata: str
) -> None:
    about = {"doi": "10.1/x", "pmc_id": "123", "title": "Oaks", "year": "2019", "journal": "Trees", "venue": None}
    path = write(tmp_path / articles, [a_paper(1), a_paper(2)])
    write(tmp_path / metadata, [{"paper_id": "2", **about}, {"paper_id": "9", "doi": "10.1/y"}])
    problems = Problems()
    first, second = figures_of(path, problems)
    assert (first["source"]["document"], second["source"]["document"]) == ("1", "PMC123")
    assert second["source"] == second["source"] | {
        "doi": "10.1/x",
        "pmcid": "PMC123",
        "title": "Oaks",
        "journal": "Trees",
        "year": 2019,
    }
    assert "1 without a DOI or PMC id" in problems.notes[0]


def test_metadata_of_another_name_is_given_by_its_option(tmp_path: Path) -> None:
    articles = write(tmp_path / "articles/s2orc-1.gz", [a_paper(1, paper_id=None, corpusid=1)])
    papers = {"corpusid": 1, "externalids": {"DOI": "10.1/x", "PubMedCentral": "8"}, "journal": {"name": "Trees"}}
    metadata, out = write(tmp_path / "papers.gz", [papers]), tmp_path / "figures.jsonl"
    command = ("annotator", "corpus", "extract", str(articles.parent), "--metadata", str(metadata))
    done = run_command(annotator, *command, "--out", str(out))
    assert done.returncode == 0, done.stderr
    source = json.loads(out.read_text(encoding="utf-8"))["source"]
    assert (source["doi"], source["pmcid"], source["journal"]) == ("10.1/x", "PMC8", "Trees")
    assert "extracted 1 figure from 1 file with 1 paper; 1 cited, 1 mention" in done.stdout + done.stderr


def test_bad_lines_are_named_and_the_others_are_read(tmp_path: Path) -> None:
    lines = [a_paper(1), '{"paper_id": "2", \n', "\n", a_paper(3, body_text=None), "[1]\n", a_paper(4)]
    write(tmp_path / "metadata.jsonl", [{"paper_id": "1", "doi": "10.1/x"}, "{no}\n", {"title": "Whose?"}])
    problems = Problems()
    figures = figures_of(write(tmp_path / "p.jsonl", lines), problems)
    assert [each["source"]["document"] for each in figures] == ["10.1/x", "4"]
    beside = tmp_path / "metadata.jsonl"
    begins = [
        f"{beside}:2: is no metadata (JSON is malformed",
        f'{beside}:3: has neither "paper_id" nor "corpusid"',
        "p.jsonl:2: not valid JSON",
        'p.jsonl:4: "body_text" holds no list',
        "p.jsonl:5: holds no object",
    ]
    assert all(line.startswith(begin) for line, begin in zip(problems.lines, begins, strict=True)), problems.lines


@pytest.mark.parametrize("key", ["pdf_parse", "grobid_parse", "content", "body"])
def test_a_paper_without_its_text_has_no_figures_and_is_no_error(tmp_path: Path, key: str) -> None:
    problems = Problems()
    record = {"paper_id": "1", "corpusid": 1, key: None}
    assert figures_of(write(tmp_path / "p.jsonl", [record, a_paper(2)]), problems)[0]["figure_id"] == "2_FIGREF0"
    assert problems.lines == []
    assert "1 without their text" in problems.notes[0]


def test_a_file_cut_off_is_named_and_gives_what_was_read_of_it(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl.gz", [a_paper(1), a_paper(2)])
    path.write_bytes(path.read_bytes()[:-12])
    problems = Problems()
    assert [each["figure_id"] for each in figures_of(path, problems)][:1] == ["1_FIGREF0"]
    assert len(problems.lines) == 1
    assert problems.lines[0].startswith("p.jsonl.gz: cannot be read after line ")
    assert problems.lines[0].endswith("fetch it again")


@pytest.mark.parametrize(
    ("content", "message"),
    [("", "is empty"), ("\n \n", "is empty"), ("\0\1\2", "is no text file"), ("\x1f\x8b0", "is gzip-compressed")],
)
def test_a_file_of_lines_that_is_none_is_named_once(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "p.jsonl").write_bytes(content.encode("latin-1"))
    problems = Problems()
    assert figures_of(tmp_path / "p.jsonl", problems) == []
    assert message in problems.lines[0]


def test_other_files_of_lines_in_a_folder_are_left_out_with_a_note(tmp_path: Path) -> None:
    folder = tmp_path / "articles"
    write(folder / "pdf_parses.jsonl", [a_paper(1)])
    write(folder / "figures.jsonl", [{"figure_id": "f1", "image": "a.png", "caption": "A."}])
    write(folder / "metadata.jsonl.gz", [{"paper_id": "1", "doi": "10.1/x", "has_pdf_parse": True}])
    write(folder / "PMC1.tar.gz", ["an old package"])
    problems = Problems()
    (figure,) = figures_of(folder, problems)
    assert figure["source"]["doi"] == "10.1/x"
    assert problems.lines == []
    assert problems.notes[:2] == [
        'figures.jsonl: holds no articles (its first line has the keys "figure_id", "image", "caption"); left out',
        "metadata.jsonl.gz: holds metadata of papers, no text; left out",
    ]


def test_articles_of_one_file_each_may_be_compressed(tmp_path: Path) -> None:
    folder = tmp_path / "articles"
    write(folder / "a.json.gz", [a_paper(7)])
    write(
        folder / "b.nxml.gz", ["<article><body><fig id='f1'><caption><p>A.</p></caption></fig></body></article>"]
    )
    write(folder / "c.json.gz", [a_paper(8)])
    (folder / "c.json.gz").write_bytes((folder / "c.json.gz").read_bytes()[:60])
    problems = Problems()
    assert [each["figure_id"] for each in figures_of(folder, problems)] == ["a_FIGREF0", "b_f1"]
    assert len(problems.lines) == 1
    assert problems.lines[0].startswith("c.json.gz: is damaged (")


@pytest.mark.parametrize("finished", [1, 2, 3])
def test_an_interrupted_run_goes_on_within_a_file_of_lines(tmp_path: Path, finished: int) -> None:
    folder, out = tmp_path / "articles", tmp_path / "figures.jsonl"
    for name in ("a.jsonl.gz", "b.jsonl"):
        write(folder / name, [a_paper(number, paper_id=f"{name[0]}{number}") for number in range(3)])
    list(extract(folder, tmp_path / "whole.jsonl", Problems()))
    run = extract(folder, out, Problems())
    for _ in range(finished):
        next(run)
    run.close()
    problems = Problems()
    *_, tally = extract(folder, out, problems)
    assert (tally.resumed, tally.files, tally.papers) == (finished, 2, 6)
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert "a.jsonl.gz: of 3 papers: 3 figures without an image" in problems.notes[0]


def test_the_same_paper_in_two_files_is_named_with_both_lines(tmp_path: Path) -> None:
    folder = tmp_path / "articles"
    write(folder / "a.jsonl", [a_paper(0), a_paper(1)])
    write(folder / "b.jsonl", [a_paper(1)])
    problems = Problems()
    figures_of(folder, problems)
    assert problems.lines[0].startswith("b.jsonl:1: 1 figure with the ids of another article, the first ")
    assert '"1_FIGREF0" as in a.jsonl:2;' in problems.lines[0]


def test_a_file_of_lines_is_never_whole_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.corpus.extract.cores", lambda: 1)
    filling = [{"text": "Leaves. " * 5_000}]
    number, megabyte = 200, 1 << 20
    path = write(tmp_path / "p.jsonl", (a_paper(each, abstract=filling) for each in range(number)))
    assert path.stat().st_size > 7 * megabyte
    tracemalloc.start()
    *_, tally = extract(path, tmp_path / "figures.jsonl", Problems())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert tally.figures == number
    assert peak < 4 * megabyte


def test_a_line_longer_than_what_is_read_at_once_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "p.jsonl", [a_paper(1), a_paper(2, title="T" * 1000)])
    monkeypatch.setattr(shards, "MOST_BYTES", 800)
    problems = Problems()
    assert len(figures_of(path, problems)) == 1
    assert problems.lines == ["p.jsonl:2: has more than 800 bytes; leave the line out"]


@pytest.mark.parametrize("command", [("corpus", "filter"), ("corpus", "sample", "--figures", "1")])
def test_commands_that_read_figures_name_the_layout_of_articles(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = write(tmp_path / "p.jsonl", [a_paper(1)])
    done = run_command(annotator, "annotator", *command, str(path), "--out", str(tmp_path / "out.jsonl"))
    assert done.returncode == 1
    assert "looks like an article in S2ORC's JSON" in done.stderr
    join = ("corpus", "join", str(path), str(path), "--out", str(tmp_path / "out.jsonl"))
    assert "looks like an article in S2ORC's JSON" in run_command(annotator, "annotator", *join).stderr
