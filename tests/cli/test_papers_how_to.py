"""The commands of docs/how-to/from-papers-to-a-dataset.md run as they stand there, from articles to tasks."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from conftest import REPOSITORY
from PIL import Image, ImageDraw
from running import run_command

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group as annotator
from annotator.cli.prelabel import group as prelabel
from annotator.corpus.extract import extract
from annotator.corpus.statistics import FORMATS, statistics_of
from panelwise.files.jsonl import Problems

PAGE = REPOSITORY / "docs" / "how-to" / "from-papers-to-a-dataset.md"
ARTICLE = """<article xmlns:xlink="http://www.w3.org/1999/xlink"><front>
<journal-meta><journal-title-group><journal-title>Lungs</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="pmcid">PMC{n}</article-id>
<pub-date><year>{year}</year></pub-date>
<permissions><license xlink:href="https://creativecommons.org/licenses/by/4.0/"><license-p>CC BY</license-p>
</license></permissions></article-meta></front>
<body><p>The left lung is smaller (<xref ref-type="fig" rid="f1">Fig. 1A</xref>). We thank all.</p>
<fig id="f1"><label>Figure 1</label><caption><p>Chest CT. (A) Left lung. (B) Right lung.</p></caption>
<graphic xlink:href="lung{n}"/></fig></body></article>"""


def commands() -> list[list[str]]:
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


def write_articles(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(1, count + 1):
        text = ARTICLE.format(n=number, year=2018 + number % 2)
        (folder / f"PMC{number}.xml").write_text(text, encoding="utf-8")
        image = Image.new("RGB", (420, 200), "white")
        for left in (10, 220):
            ImageDraw.Draw(image).rectangle((left, 10, left + 190, 190), fill=(40, 60 + number, 80))
        image.save(folder / f"lung{number}.png")


def test_the_commands_of_the_page_make_pre_labelled_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_articles(tmp_path / "articles", 3)
    programs = {"annotator": annotator, "prelabel": prelabel}
    for program, *words in commands():
        done = run_command(programs[program], program, *words)
        assert done.returncode == 0, (words, done.stderr)
    with Home.find(Path("lungs")).open_store() as store, store.read() as tx:
        figures = list(tx.figures.all())
        tasks = list(tx.tasks.all())
        predicted = tx.predictions.of([figure.id for figure in figures])
    assert [each.references for each in figures] == [("The left lung is smaller (Fig. 1A).",)] * 3
    assert sorted((each.figure, each.annotator) for each in tasks) == sorted(
        (figure.id, name) for figure in figures for name in ("ann", "ben")
    )
    assert [len(predicted[figure.id].subfigures) for figure in figures] == [2, 2, 2]
    assert len(Path("sample.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    assert "Figures & 3 & 217,060" in Path("table1.tex").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_table_of_the_page_is_what_the_command_prints(shared_data: Path, tmp_path: Path) -> None:
    articles = shared_data / "articles" / "jats"
    if not articles.is_dir():
        pytest.skip("the sample of articles is not there")
    out = tmp_path / "figures.jsonl"
    for _ in extract(articles, out, Problems()):
        pass
    *_, statistics = statistics_of(out, Problems())
    table = FORMATS["markdown"](statistics, "").partition("\n\n")[2]
    assert table in PAGE.read_text(encoding="utf-8")
