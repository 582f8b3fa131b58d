"""Layouts of articles as other versions and exporters write them, and what belongs to none of their figures."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from article_cases import article, cited, fig, read

from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import Problems
from panelwise.formats.articles.article import Article
from panelwise.formats.articles.reading import read_articles

GROWTH = "Figure 1: (a) oak, (b) ash."


def docling(texts: list[dict[str, Any]], pictures: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"schema_name": "DoclingDocument", "texts": texts, "pictures": pictures, **more}


def text(number: int, words: str, label: str = "text") -> dict[str, Any]:
    return {"self_ref": f"#/texts/{number}", "label": label, "text": words}


def read_json(record: object) -> tuple[Article, Problems]:
    problems = Problems()
    (found,) = read_articles(json.dumps(record).encode(), "a.json", problems)
    return found, problems


CAPTION, CITING = text(0, GROWTH, "caption"), text(1, "Trees grow (Fig. 1b).")


@pytest.mark.parametrize(
    "ref", [{"$ref": "#/texts/0"}, {"cref": "#/texts/0"}, {"$ref": None, "cref": "#/texts/0"}, "#/texts/0"]
)
def test_docling_refers_in_each_of_its_spellings(ref: object) -> None:
    found, problems = read_json(docling([CAPTION, CITING], [{"self_ref": "#/pictures/0", "captions": [ref]}]))
    assert [(each.label, each.caption) for each in found.figures] == [("Figure 1", GROWTH)]
    assert cited(found) == [("1", "text", ("B",))]
    assert (found.left_over, problems.lines, problems.notes) == ((), [], [])


@pytest.mark.parametrize(
    "own",
    [
        {"captions": {"$ref": "#/texts/0"}},
        {"captions": "#/texts/0"},
        {"captions": [], "caption": {"cref": "#/texts/0"}},
        {"captions": None, "caption": GROWTH},
        {"caption": {"text": GROWTH}},
        {"captions": [{"text": GROWTH}]},
    ],
)
def test_a_picture_of_docling_may_have_one_caption_outside_a_list_or_its_text(own: dict[str, Any]) -> None:
    found, problems = read_json(docling([CAPTION, CITING], [{"self_ref": "#/pictures/0", **own}]))
    assert [(each.label, each.caption) for each in found.figures] == [("Figure 1", GROWTH)]
    assert cited(found) == [("1", "text", ("B",))]
    assert problems.lines == []


def test_a_caption_of_docling_that_is_not_in_the_file_is_named() -> None:
    other = {"self_ref": "#/pictures/1", "captions": [{"$ref": "#/texts/0"}]}
    found, problems = read_json(docling([CAPTION], [{"captions": {"$ref": "#/texts/7"}}, other]))
    assert [each.fig_id for each in found.figures] == ["#/pictures/1"]
    (line,) = problems.lines
    assert 'caption "#/texts/7" of picture "#/pictures/0" is not in the file' in line


def test_a_caption_of_docling_in_pieces_is_one() -> None:
    texts = [
        {**text(0, "", "caption"), "children": [{"cref": "#/groups/0"}]},
        text(1, "Figure 1: (a)"),
        text(2, "Quercus"),
        text(3, "at rest."),
    ]
    inner = {
        "self_ref": "#/groups/1",
        "label": "inline",
        "children": [{"cref": "#/texts/2"}, {"cref": "#/texts/3"}],
    }
    outer = {
        "self_ref": "#/groups/0",
        "label": "inline",
        "children": [{"cref": "#/texts/1"}, {"cref": "#/groups/1"}],
    }
    for refs in ([{"cref": "#/texts/0"}], [{"cref": "#/groups/0"}]):
        found, _ = read_json(docling(texts, [{"captions": refs}], groups=[outer, inner]))
        (figure,) = found.figures
        assert (figure.fig_id, figure.caption) == ("#/pictures/0", "Figure 1: (a) Quercus at rest.")
        # Its pieces are no running text, which would cite the figure.
        assert figure.mentions == ()


@pytest.mark.parametrize(
    ("below", "above"),
    [({}, {"children": [{"$ref": "#/texts/0"}]}), ({"parent": {"cref": "#/pictures/0"}}, {})],
)
def test_a_caption_of_docling_among_the_children_of_a_picture_is_its_own(
    below: dict[str, Any], above: dict[str, Any]
) -> None:
    found, _ = read_json(docling([CAPTION | below], [{"captions": [], **above}]))
    assert [each.caption for each in found.figures] == [GROWTH]
    assert found.left_over == ()


def test_a_group_of_docling_within_itself_ends() -> None:
    group = {"self_ref": "#/groups/0", "children": [{"$ref": "#/groups/0"}]}
    found, _ = read_json(docling([], [{"captions": [{"$ref": "#/groups/0"}]}], groups=[group]))
    assert found.left_over == ("1 picture without a caption (#/pictures/0)",)


def test_pictures_and_captions_of_docling_that_belong_to_nothing_are_named() -> None:
    texts = [CAPTION, text(1, "See Figure 3."), text(2, "Figure 2: elm.", "caption"), text(3, "Bark.", "caption")]
    texts += [text(4, "Table 1: trees.", "caption"), text(5, "Table 2: more.", "caption")]
    found, problems = read_json(
        docling(
            texts,
            [{"captions": [{"cref": "#/texts/0"}]}, {"captions": []}],
            tables=[{"captions": [{"cref": "#/texts/4"}]}],
        )
    )
    assert len(found.figures) == 1
    assert found.left_over == (
        "1 picture without a caption (#/pictures/1)",
        "2 captions without a picture (Figure 2, #/texts/3)",
        "1 citation of figures that are not in it (Figure 3)",
    )
    assert problems.lines == []


def test_a_repeated_reference_of_docling_is_named_and_both_pictures_are_read() -> None:
    picture = {"self_ref": "#/pictures/0", "captions": [{"cref": "#/texts/0"}]}
    found, problems = read_json(docling([CAPTION], [picture, picture]))
    (figure,) = found.figures
    assert [part.fig_id for part in figure.members] == ["#/pictures/0", "#/pictures/0 (1)"]
    assert problems.lines == [
        'a.json: two of "pictures" have the self_ref "#/pictures/0"; both are read, give each its own'
    ]


def test_the_first_layout_and_the_servers_answer_of_docling_are_read() -> None:
    main = [
        {"text": "On trees", "type": "subtitle-level-1", "name": "title"},
        {"text": "Trees grow (Fig. 1b).", "type": "paragraph", "name": "Text"},
        {"text": GROWTH, "type": "caption", "name": "Caption"},
        {"$ref": "#/figures/0", "type": "figure", "name": "Picture"},
    ]
    figures = [{"text": GROWTH, "type": "figure"}, {"captions": [{"text": "Figure 2: elm."}]}, {"text": ""}]
    found, _ = read_json({"_name": "", "file-info": {"filename": "a.pdf"}, "main-text": main, "figures": figures})
    assert found.title == "On trees"
    assert [each.caption for each in found.figures] == [GROWTH, "Figure 2: elm."]
    assert cited(found) == [("1", "text", ("B",))]
    assert found.left_over == ("1 picture without a caption (#/figures/2)",)
    inner = docling([CAPTION], [{"captions": [{"$ref": "#/texts/0"}]}])
    answer, _ = read_json({"document": {"filename": "a.pdf", "json_content": inner}, "status": "success"})
    assert len(answer.figures) == 1


@pytest.mark.parametrize(
    "entry",
    [
        {"text": "Trend. (a) oak", "type_str": "figure", "fig_num": "2", "uris": None, "num": None},
        {"text": "Trend. (a) oak", "type": "figure", "num": 2},
        {"text": "Trend. (a) oak", "type": "figure", "fig_num": True, "num": 2.0},
        {"caption": "Trend. (a) oak", "type": "Figure", "fig_num": "Fig. 2"},
        {"text": "Trend. (a) oak", "fig_num": "2."},
        {"text": "FIG. 2. Trend. (a) oak", "type": "fig", "fig_num": None},
    ],
)
def test_the_number_of_a_figure_of_s2orc_is_read_in_each_of_its_keys(entry: dict[str, Any]) -> None:
    body = [{"text": "It rose (Fig. 2a).", "ref_spans": []}]
    back = [
        {"text": "Ann drew Fig. 2.", "section": "Author contributions"},
        {"text": "See Fig. 2.", "section": "Appendix A"},
    ]
    parse = {"body_text": body, "back_matter": back, "ref_entries": {"FIGREF0": entry}}
    found, problems = read_json({"paper_id": "x", "pdf_parse": {"body_text": []}, "latex_parse": parse})
    (figure,) = found.figures
    assert figure.label.endswith("2")
    assert [(each.paragraph, each.panels) for each in figure.mentions] == [(0, ("A",)), (None, ())]
    assert (found.left_over, problems.lines) == ((), [])


@pytest.mark.parametrize("label", ["S2", "s 2", "SS2", "S"])
def test_a_label_that_is_a_number_of_the_supplement_alone_is_read(label: str) -> None:
    """One such label made the reader fail on the whole article."""
    body = f'<fig id="s2"><label>{label}</label><caption><p>Oak.</p></caption></fig>{fig(1)}<p>See Fig. 1.</p>'
    first, second = read(article(body)).figures
    assert (first.label, first.caption) == (label, "Oak.")
    assert len(second.mentions) == 1
    entry = {"text": "Oak.", "type_str": "figure", "fig_num": label}
    (figure,) = read_json({"body_text": [], "ref_entries": {"FIGREF0": entry}})[0].figures
    assert (figure.label, figure.caption) == (label, "Oak.")


def test_entries_of_s2orc_as_a_list_and_uris_as_a_text_are_read() -> None:
    entry = {"ref_id": "FIGREF0", "text": GROWTH, "type": "figure", "uris": "g1.png"}
    found, problems = read_json({"body_text": [], "ref_entries": [entry, {**entry, "text": ""}]})
    assert [(each.fig_id, each.graphics) for each in found.figures] == [("FIGREF0", ("g1.png",))] * 2
    assert found.left_over == ("1 figure without a caption (FIGREF0)",)
    assert problems.lines == [
        'a.json: 2 figures have the id "FIGREF0"; links count for the last, give each its own'
    ]


@pytest.mark.parametrize("space", ["", "\n", "\r\n  "])
def test_a_repeated_key_of_an_article_is_named_whatever_its_line_breaks(space: str) -> None:
    entry = '"FIGREF0":{"text":"One.","type":"figure"}'
    data = f'{{"body_text":[],{space}"ref_entries":{{{entry},{space}{entry}}}}}'
    problems = Problems()
    read_articles(data.encode(), "a.json", problems)
    assert problems.lines == ['a.json: "FIGREF0" stands twice in one object; the last one counts, remove one']


FIGURE = '<fig id="f1"><label>Fig. 1</label><caption><p>Oak.</p></caption>{}</fig>'


@pytest.mark.parametrize(
    "data",
    [
        '<article xmlns:xlink="http://www.w3.org/1999/xlink"><body>{}</body></article>'.format(
            FIGURE.format('<graphic xlink:href="g1"/>')
        ),
        "<article><body>{}</body></article>".format(FIGURE.format('<graphic xlink:href="g1"/>')),
        "<article><body>{}</body></article>".format(FIGURE.format('<graphic href="g1"/>')),
        '<article xmlns:x="http://www.w3.org/TR/xlink"><body>{}</body></article>'.format(
            FIGURE.format('<graphic x:href="g1"/>')
        ),
        '<article><body><p/></body><floats-wrap xmlns:xlink="http://www.w3.org/1999/xlink">{}</floats-wrap></article>'
        .format(FIGURE.format('<graphic xlink:href="g1"/>')),
        '<article xmlns="http://jats.nlm.nih.gov"><body>{}</body></article>'.format(
            FIGURE.format('<alternatives><graphic href="g1"/></alternatives>')
        ),
        '<j:article xmlns:j="http://jats.nlm.nih.gov"><j:body>{}</j:body></j:article>'.format(
            re.sub("<(/?)", r"<\1j:", FIGURE.format('<graphic href="g1"/>'))
        ),
        "<article><body>{}</body></article>".format(FIGURE.format('<p><inline-graphic href="g1"/></p>')),
        "<article><body>{}</body></article>".format(FIGURE.format('<media mimetype="image" href="g1"/>')),
    ],
)  # fmt: skip
def test_graphics_of_jats_are_read_in_each_spelling(data: str) -> None:
    (figure,) = read(data.encode()).figures
    assert (figure.label, figure.caption, figure.graphics) == ("Fig. 1", "Oak.", ("g1",))


@pytest.mark.parametrize(
    ("inside", "caption", "alternatives"),
    [
        ("<p>(A) An oak.</p><graphic href='g1'/><p>(B) Bark.</p>", "(A) An oak. (B) Bark.", 1),
        ("<title>Trees.</title><p>An oak.</p><graphic href='g1'/>", "Trees. An oak.", 1),
        ("<caption><title/></caption><p>An oak.</p><graphic href='g1'/>", "An oak.", 1),
        ("<caption><p>An oak.</p></caption><p>Beside it.</p><p><graphic href='g1'/></p>", "An oak.", 1),
        ("<p>Oak.</p><alternatives><graphic href='g1'/><graphic href='g2'/></alternatives>", "Oak.", 2),
        ("<graphic href='g'/><alternatives><graphic href='h'/><graphic href='i'/></alternatives>", "", 1),
        ("<graphic href='g'><label>(a)</label><caption>Oak.</caption></graphic>", "(a) Oak.", 1),
    ],
)  # fmt: skip
def test_words_in_a_figure_of_jats_are_its_caption_and_files_of_one_picture_are_counted(
    inside: str, caption: str, alternatives: int
) -> None:
    (figure,) = read(article(f'<p>Text <fig id="f1"><label>Fig. 1</label>{inside}</fig></p>')).figures
    assert (figure.label, figure.caption, figure.alternatives) == ("Fig. 1", caption, alternatives)


def test_what_belongs_to_no_figure_of_jats_is_named_and_what_belongs_elsewhere_is_not() -> None:
    body = (
        fig(1)
        + "<p>See Fig. 1, Fig. 3 and Fig. S1, unlike Fig. 4 of Smith et al. (2001).</p><p>Figure 2. Two elms.</p>"
        + '<p>Text <graphic xlink:href="loose"/></p><sec><caption><p>Figure 7. An ash in snow.</p></caption></sec>'
        + '<table-wrap><caption><p>Table.</p></caption><graphic xlink:href="t1"/></table-wrap>'
        + '<disp-formula><graphic xlink:href="e1"/></disp-formula><fig id="f9"><graphic xlink:href="g9"/></fig>'
    )
    assert read(article(body)).left_over == (
        "1 picture in no figure (loose)",
        "1 caption in no figure (Figure 7)",
        "1 figure without a caption (f9)",
        "1 paragraph like a caption (Figure 2)",
        "1 citation of figures that are not in it (Figure 3)",
    )
    assert read(article(fig(1) + "<p>See Fig. 1.</p>")).left_over == ()


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("<supplementary-material><graphic HREF='a'/></supplementary-material>", "1 picture in supplements (a)"),
        (
            "<supplementary-material mimetype='image' HREF='a'/><supplementary-material HREF='b.pdf'/>",
            "1 picture in supplements (a)",
        ),
        (
            "<supplementary-material><media mimetype='image' HREF='a'/><media HREF='b'/></supplementary-material>",
            "1 picture in supplements (a)",
        ),
        (
            "<chem-struct><alternatives><graphic HREF='a'/><graphic HREF='b'/></alternatives></chem-struct>",
            "1 picture in chemical structures (a)",
        ),
        ("<table-wrap><graphic HREF='a'/><graphic HREF='b'/></table-wrap>", "2 pictures in tables (a, b)"),
        ("<table-wrap><alternatives><graphic HREF='a'/><table/></alternatives></table-wrap>", None),
        ("<boxed-text><p><graphic HREF='a'/></p></boxed-text>", "1 picture in boxes (a)"),
        ("<disp-formula><graphic HREF='a'/></disp-formula>", None),
    ],
)
def test_a_picture_that_belongs_to_no_figure_is_named_by_its_part(part: str, said: str | None) -> None:
    found = read(article(fig(1) + part.replace("HREF", "xlink:href")))
    assert [figure.label for figure in found.figures] == [read(article(fig(1))).figures[0].label]
    assert found.aside == (() if said is None else (said,))


def test_pictures_of_the_front_matter_and_of_other_articles_in_the_file_are_named() -> None:
    data = article(fig(1)).decode()
    front = "<front><article-meta><abstract><graphic xlink:href='a'/></abstract></article-meta></front>"
    other = "<response><body><p><graphic xlink:href='b'/></p></body></response>"
    for end in ("", f"<back><p>{'Long. ' * 400}</p></back>"):
        found = read(data.replace("</article>", f"{front}{other}{end}</article>").encode())
        aside = ("1 picture in the front matter (a)", "1 picture in sub-articles (b)")
        assert (len(found.figures), found.aside) == (1, aside)
        assert found.left_over == ()


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"main-text": "x", "figures": []}, '"main-text" holds no list'),
        ({"schema_name": "DoclingDocument", "texts": None, "pictures": []}, '"texts" holds no list'),
        (docling([], [], groups="x"), '"groups" holds no list'),
        ({"body_text": None, "ref_entries": {}}, '"body_text" holds no list'),
        ({"corpusid": 1, "content": {"text": "x", "annotations": {"figure": "[{"}}}, 'figure" is not valid JSON'),
        ({"corpusid": 1, "content": {"text": "x", "annotations": {"figure": {}}}}, 'figure" holds no list'),
        ({"corpusid": 1, "content": {"text": 7, "annotations": {}}}, '"text" holds a number'),
        ({"corpusid": 1, "content": {"note": "x"}}, '"body_text" is missing'),
    ],
)
def test_what_is_not_read_of_an_article_is_refused_and_not_taken_for_empty(record: object, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_json(record)


def test_nan_and_spans_as_other_libraries_write_them_are_read() -> None:
    span = {"start": 12.0, "end": "18", "text": "Fig. x", "ref_id": "FIGREF0"}
    found, problems = read_json(
        {
            "paper_id": "x1",
            "year": float("nan"),
            "body_text": [{"text": "Trees grow (Fig. x).", "ref_spans": [span]}],
            "ref_entries": {"FIGREF0": {"text": "Oak", "type_str": "figure"}},
        }
    )
    assert (found.year, [len(each.mentions) for each in found.figures]) == (None, [1])
    assert problems.notes == ["a.json: holds NaN, which is no number in JSON; read as null"]
