"""`annotator corpus extract`: folders of articles, bad ones among them, and interrupted runs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from running import run_command

from annotator.cli.campaign.main import group as annotator
from annotator.corpus.extract import extract, find_image
from annotator.corpus.shards import article_names
from panelwise.files.jsonl import Problems
from panelwise.formats.articles.article import Article
from panelwise.formats.articles.reading import read_articles
from panelwise.formats.figures import read_figures

XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'


def write_article(path: Path, graphic: str = "g1") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'<article {XLINK}><body><p>See <xref rid="f1">Fig. 1A</xref>.</p><fig id="f1"><label>Fig. 1</label>'
        f'<caption><p>(A) Lung.</p></caption><graphic xlink:href="{graphic}"/></fig></body></article>',
        encoding="utf-8",
    )


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(each) for each in path.read_text(encoding="utf-8").splitlines()]


def test_figures_are_written_in_order_of_names_and_can_be_imported(tmp_path: Path) -> None:
    for name in ("b/d.xml", "c.nxml", "a.xml", "b.xml"):
        write_article(tmp_path / "articles" / name)
    Image.new("RGB", (4, 3)).save(tmp_path / "articles/b/g1.jpg")
    out = tmp_path / "figures.jsonl"
    problems = Problems()
    *_, tally = extract(tmp_path / "articles", out, problems)
    assert problems.lines == []
    assert [each["source"]["file"] for each in lines(out)] == ["a.xml", "b/d.xml", "b.xml", "c.nxml"]
    assert [each["image"] for each in lines(out)] == ["g1", "b/g1.jpg", "g1", "g1"]
    assert problems.notes[0] == 'a.xml: 1 of 1 figure without an image beside the article, the first "f1" (g1)'
    assert (tally.figures, tally.cited, tally.mentions) == (4, 4, 4)
    assert not out.with_name("figures.jsonl.partial").exists()
    figure = next(read_figures(out, problems))
    assert (figure.references, figure.document) == (("See Fig. 1A.",), "a")
    assert figure.extra["mentions"][0]["panels"] == ["A"]


def test_an_article_whose_name_is_no_text_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    write_article(tmp_path / "articles" / "a.xml")
    try:
        write_article(tmp_path / "articles" / os.fsdecode(b"b\xff.xml"))
    except OSError:
        pytest.skip("this file system takes names in UTF-8 only")
    problems = Problems()
    *_, tally = extract(tmp_path / "articles", tmp_path / "figures.jsonl", problems)
    assert tally.figures == 1
    assert problems.lines == [f"{tmp_path / 'articles'}: the name of b\\udcff.xml is not UTF-8; rename the file"]


def test_a_folder_of_articles_may_have_any_name(tmp_path: Path) -> None:
    articles = tmp_path / os.fsdecode(b"b\xff")
    try:
        write_article(articles / "a.xml")
    except OSError:
        pytest.skip("this file system takes names in UTF-8 only")
    problems = Problems()
    *_, tally = extract(articles, tmp_path / "figures.jsonl", problems)
    assert (tally.figures, problems.lines) == (1, [])


def test_a_pipe_among_the_articles_is_not_waited_for(tmp_path: Path) -> None:
    write_article(tmp_path / "articles" / "a.xml")
    os.mkfifo(tmp_path / "articles" / "b.xml")
    problems = Problems()
    *_, tally = extract(tmp_path / "articles", tmp_path / "figures.jsonl", problems)
    assert (tally.figures, problems.lines) == (1, ["b.xml: is no ordinary file; leave it out"])


def test_a_file_too_large_for_an_article_is_not_read(tmp_path: Path) -> None:
    write_article(tmp_path / "articles" / "a.xml")
    with (tmp_path / "articles" / "b.xml").open("wb") as file:
        file.truncate(1 << 40)  # the file system keeps no zeros of it
    problems = Problems()
    *_, tally = extract(tmp_path / "articles", tmp_path / "figures.jsonl", problems)
    assert tally.figures == 1
    assert problems.lines == ["b.xml: has more than 500,000,000 bytes, and is read whole; leave it out"]


def test_bad_files_are_named_one_line_each_and_the_rest_is_read(tmp_path: Path) -> None:
    write_article(tmp_path / "articles/good.xml")
    for name, data in {
        "bomb.xml": b'<!DOCTYPE a [<!ENTITY b "&b;">]><article><body>&b;</body></article>',
        "cut.xml": b"<article><body>",
        "empty.xml": b"",
        "latin.xml": b'<?xml version="1.0" encoding="utf-8"?><article>\xe9</article>',
        "rubbish.json": bytes(range(256)),
        "text.xml": b"no XML",
        "photo.jpg": b"",
    }.items():
        (tmp_path / "articles" / name).write_bytes(data)
    (tmp_path / "articles/none.xml").write_text("<article><body/></article>", encoding="utf-8")
    out = tmp_path / "figures.jsonl"
    done = run_command(annotator, "annotator", "corpus", "extract", str(tmp_path / "articles"), "--out", str(out))
    assert done.returncode == 1
    assert len(lines(out)) == 1
    named = [each.partition(": ")[0] for each in done.stderr.splitlines() if not each.startswith("note: ")]
    assert named[:6] == ["bomb.xml", "cut.xml", "empty.xml", "latin.xml", "rubbish.json", "text.xml"]
    assert "note: none.xml: has no figures" in done.stderr


@pytest.mark.parametrize("count", [3, 70])
@pytest.mark.slow
def test_an_interrupted_run_goes_on_and_writes_the_same_file(tmp_path: Path, count: int) -> None:
    for number in range(count):
        write_article(tmp_path / f"articles/{number:03}.xml")
    whole, out = tmp_path / "whole.jsonl", tmp_path / "figures.jsonl"
    list(extract(tmp_path / "articles", whole, Problems()))
    run = extract(tmp_path / "articles", out, Problems())
    next(run)
    next(run)
    run.close()
    assert not out.exists()
    with out.with_name("figures.jsonl.partial").open("ab") as file:
        file.write(b'{"article": "cut o')
    for number in range(2):
        os.truncate(tmp_path / f"articles/{number:03}.xml", 0)  # They are not read again.
    problems = Problems()
    *_, tally = extract(tmp_path / "articles", out, problems)
    assert problems.lines == []
    assert (tally.resumed, tally.files) == (2, count)
    assert out.read_bytes() == whole.read_bytes()


def test_another_folder_does_not_go_on_with_a_run(tmp_path: Path) -> None:
    for name in ("one/a.xml", "one/b.xml", "other/a.xml"):
        write_article(tmp_path / name)
    out = tmp_path / "figures.jsonl"
    run = extract(tmp_path / "one", out, Problems())
    next(run)
    run.close()
    command = ("annotator", "corpus", "extract", str(tmp_path / "other"), "--out", str(out))
    assert "an unfinished run holds figures of" in run_command(annotator, *command).stderr


def test_names_go_on_after_a_name_within_folders(tmp_path: Path) -> None:
    for name in ("a/b.xml", "a/c/d.xml", "a.xml", "b/a.xml", "c.xml"):
        write_article(tmp_path / name)
    every = list(article_names(tmp_path))
    assert every == ["a/b.xml", "a/c/d.xml", "a.xml", "b/a.xml", "c.xml"]
    for place, name in enumerate(every):
        assert list(article_names(tmp_path, name)) == every[place + 1 :]


@pytest.mark.parametrize(
    ("graphic", "image"),
    [
        ("g1", "g1.jpg"),
        ("g1.tif", "g1.jpg"),
        ("info:doi/10.1/g1", "g1.jpg"),
        ("https://host/path/g1.png", "g1.jpg"),
        ("sub/g2", "sub/g2.png"),
        ("../secret", None),
        ("/etc/hostname", None),
        ("/somewhere/else/sub/g2.png", "sub/g2.png"),
        ("g3", None),
        ("g1.tif?download=1", "g1.jpg"),
        (" ./G1.JPG#fig1 ", "g1.jpg"),
        ("https://host/path/g1.png?u=https://other/g9.png", "g1.jpg"),
        ("sub/g2.png?as=image%2Fpng", "sub/g2.png"),
    ],
)
def test_the_image_of_a_graphic_is_found_beside_its_article_only(
    tmp_path: Path, graphic: str, image: str | None
) -> None:
    folder = tmp_path / "articles"
    (folder / "sub").mkdir(parents=True)
    for name in ("g1.jpg", "sub/g2.png", "../secret.png"):
        (folder / name).touch()
    assert find_image(str(folder), graphic) == image


def test_an_article_that_the_reader_fails_on_is_named_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(data: bytes, file: str, problems: Problems, metadata: bytes) -> list[Article]:
        if file == "b.xml":
            raise KeyError("odd")
        return read_articles(data, file, problems, metadata)

    for name in ("a.xml", "b.xml", "c.xml"):
        write_article(tmp_path / "articles" / name)
    monkeypatch.setattr("annotator.corpus.extract.read_articles", broken)
    problems = Problems()
    *_, tally = extract(tmp_path / "articles", tmp_path / "figures.jsonl", problems)
    (line,) = problems.lines
    assert line.startswith("b.xml: the reader failed on it (KeyError: 'odd', at test_extracting.py:")
    assert (tally.files, tally.figures) == (3, 2)


def test_figures_of_one_article_in_two_files_are_named_also_by_the_next_run(tmp_path: Path) -> None:
    out = tmp_path / "figures.jsonl"
    for name in ("a.xml", "b/a.xml"):
        write_article(tmp_path / "articles" / name)
    run = extract(tmp_path / "articles", out, Problems())
    next(run)
    run.close()
    problems = Problems()
    *_, tally = extract(tmp_path / "articles", out, problems)
    assert tally.resumed == 1
    assert problems.lines == [
        'b/a.xml: 1 figure with the ids of another article, the first "a_f1" as in a.xml; '
        "leave out one of the two, or rename a file that has no DOI or PMC id"
    ]
    assert len(lines(out)) == 2


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<p>No figure at all.</p>", ["has no figures"]),
        (
            f"<supplementary-material><graphic {XLINK} xlink:href='s'/></supplementary-material>",
            [
                "has no figures of its own; those of sub-articles, supplements and tables are not read",
                "left out 1 picture in supplements (s); they belong to no figure of the article",
            ],
        ),
        (
            f'<p>See Fig. 2.</p><p>Fig. 2. Two oaks.</p><p><graphic {XLINK} xlink:href="g7"/></p>',
            [
                "has 1 picture in no figure (g7), 1 paragraph like a caption (Fig. 2), "
                "1 citation of figures that are not in it (Figure 2); look at the article"
            ],
        ),
        (
            "<sec><caption><title>Figure 3.</title><p>An ash.</p></caption></sec><p>As in Figs. 3 and 4.</p>",
            [
                "has 1 caption in no figure (Figure 3), "
                "2 citations of figures that are not in it (Figure 3, Figure 4); look at the article"
            ],
        ),
    ],
)
def test_an_article_without_figures_is_said_to_have_none_only_if_nothing_speaks_of_any(
    tmp_path: Path, body: str, said: list[str]
) -> None:
    (tmp_path / "articles").mkdir()
    (tmp_path / "articles/a.xml").write_text(f"<article><body>{body}</body></article>", encoding="utf-8")
    problems = Problems()
    list(extract(tmp_path / "articles", tmp_path / "figures.jsonl", problems))
    assert (problems.lines, problems.notes) == ([], [f"a.xml: {line}" for line in said])


def test_pictures_beside_the_figures_are_named_in_one_line_for_each_article(tmp_path: Path) -> None:
    write_article(tmp_path / "a.xml")
    whole = (tmp_path / "a.xml").read_text(encoding="utf-8")
    beside = "".join(
        f"<supplementary-material><graphic {XLINK} xlink:href='s{number}'/></supplementary-material>"
        for number in range(7)
    )
    (tmp_path / "b.xml").write_text(whole.replace("</body>", f"{beside}</body>"), encoding="utf-8")
    before, after = Problems(), Problems()
    list(extract(tmp_path / "a.xml", tmp_path / "a.jsonl", before))
    list(extract(tmp_path / "b.xml", tmp_path / "b.jsonl", after))
    assert after.lines == []
    assert [each["caption"] for each in lines(tmp_path / "b.jsonl")] == ["(A) Lung."]
    assert after.notes == [
        "b.xml: left out 7 pictures in supplements (s0, s1, s2, s3, s4 and 2 more); they belong to no figure of "
        "the article",
        *[note.replace("a.xml", "b.xml") for note in before.notes],
    ]


def notes_on(folder: Path, body: str, after: str = "") -> tuple[list[dict[str, Any]], list[str]]:
    """Return the figures of an article, and the notes on it without its name."""
    folder.joinpath("a.xml").write_text(f"<article {XLINK}><body>{body}</body>{after}</article>", encoding="utf-8")
    problems = Problems()
    list(extract(folder / "a.xml", folder / "out.jsonl", problems))
    assert problems.lines == []
    return lines(folder / "out.jsonl"), [note.removeprefix("a.xml: ") for note in problems.notes]


@pytest.mark.parametrize("tag", ["sub-article", "response"])
def test_pictures_of_sub_articles_are_named_and_a_translation_shows_no_others(tmp_path: Path, tag: str) -> None:
    def figure(name: str) -> str:
        words = "<label>Figure 1</label><caption><p>Lung.</p></caption>"
        return f'<fig id="{name}">{words}<graphic xlink:href="{name}"/></fig>'

    letter = f"<{tag}><body><p>See <xref rid='f1'/>.</p>{figure('g1')}{figure('reply1')}</body></{tag}>"
    figures, notes = notes_on(tmp_path, figure("g1"), letter)
    assert [each["graphics"] for each in figures] == [["g1"]]
    assert figures[0]["references"] == []
    assert notes[0] == "left out 1 picture in sub-articles (reply1); they belong to no figure of the article"


def test_what_a_group_without_figures_holds_is_named(tmp_path: Path) -> None:
    group = '<fig-group><caption><p>Figure 2. Two lungs.</p></caption><graphic xlink:href="g2"/></fig-group>'
    figures, notes = notes_on(tmp_path, group)
    assert figures == []
    assert notes == ["has 1 picture in no figure (g2), 1 caption in no figure (Figure 2); look at the article"]


def test_the_caption_of_a_group_of_language_versions_is_named(tmp_path: Path) -> None:
    versions = "".join(
        f'<fig><label>{label} 1</label><caption><p>{words}</p></caption><graphic xlink:href="g1"/></fig>'
        for label, words in (("Figure", "Lung."), ("Figura", "Pulmón."))
    )
    (figure,), notes = notes_on(
        tmp_path, f"<fig-group><caption><p>Both lungs.</p></caption>{versions}</fig-group>"
    )
    assert (figure["caption"], figure["translations"][0]["caption"]) == ("Lung.", "Pulmón.")
    assert notes[0] == "has 1 caption in no figure (Both lungs.); look at the article"


def test_graphics_of_one_picture_for_print_and_for_the_web_are_alternatives(tmp_path: Path) -> None:
    uses = ((4, "web"), (40, "print"))
    for width, use in uses:
        Image.new("L", (width, 3)).save(tmp_path / f"{use}.png")
    graphics = "".join(f'<graphic xlink:href="{use}.tif" specific-use="{use}"/>' for _, use in uses)
    (figure,), _ = notes_on(tmp_path, f'<fig id="f1"><caption><p>Lung.</p></caption>{graphics}</fig>')
    assert (figure["image"], figure["alternatives"]) == ("print.png", 2)
    (figure,), _ = notes_on(
        tmp_path, f'<fig id="f1"><caption><p>Lung.</p></caption><alternatives>{graphics}</alternatives></fig>'
    )
    assert figure["image"] == "print.png"


@pytest.mark.parametrize("image", ["g1.JPG", "G1.tiff", "g1.Png"])
def test_an_image_in_another_spelling_is_the_graphics(tmp_path: Path, image: str) -> None:
    write_article(tmp_path / "a.xml", "g1.eps")
    (tmp_path / image).touch()
    problems = Problems()
    *_, _ = extract(tmp_path, tmp_path / "out.jsonl", problems)
    assert [each["image"] for each in lines(tmp_path / "out.jsonl")] == [image]
    assert (problems.lines, problems.notes) == ([], [])


def test_of_the_files_of_one_picture_the_full_image_is_taken_and_both_are_named(tmp_path: Path) -> None:
    both = '<graphic xlink:href="small.gif"/><graphic xlink:href="full.tif"/>'
    for name, graphics in (("a", f"<alternatives>{both}</alternatives>"), ("b", both)):
        (tmp_path / f"{name}.xml").write_text(
            f'<article {XLINK}><body><fig id="f1"><caption>Lung.</caption>{graphics}</fig></body></article>',
            encoding="utf-8",
        )
    Image.new("L", (4, 3)).save(tmp_path / "small.gif")
    Image.new("L", (40, 30)).save(tmp_path / "full.tif")
    problems = Problems()
    *_, _ = extract(tmp_path, tmp_path / "out.jsonl", problems)
    assert [each["image"] for each in lines(tmp_path / "out.jsonl")] == ["full.tif", "full.tif"]
    assert problems.notes == [
        f'{name}.xml: 1 figure with several images, the first: "small.gif" is one of small.gif, full.tif; took '
        "full.tif, the larger image"
        for name in "ab"
    ]
    (tmp_path / "full.tif").unlink()
    *_, _ = extract(tmp_path, tmp_path / "out2.jsonl", problems)
    assert [each["image"] for each in lines(tmp_path / "out2.jsonl")] == ["small.gif", "small.gif"]


def test_of_a_graphics_images_the_largest_is_taken_and_those_that_may_be_any_are_named(tmp_path: Path) -> None:
    write_article(tmp_path / "a.xml")
    Image.new("L", (4, 3)).save(tmp_path / "g1.png")
    Image.new("L", (40, 30)).save(tmp_path / "g1.tif")
    write_article(tmp_path / "b/b.xml", "g2.png")
    for name in ("G2.png", "g2.PNG"):
        (tmp_path / "b" / name).touch()
    problems = Problems()
    *_, _ = extract(tmp_path, tmp_path / "out.jsonl", problems)
    assert [each["image"] for each in lines(tmp_path / "out.jsonl")] == ["g1.tif", "g2.png"]
    assert "a.xml: 1 figure with several images, the first:" in problems.notes[0]
    assert "took g1.tif" in problems.notes[0]
    assert '"g2.png" may be any of G2.png, g2.PNG' in problems.lines[0]
