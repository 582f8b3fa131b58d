"""Figures and citations of JATS articles."""

from __future__ import annotations

import json

import msgspec
import pytest
from article_cases import FRONT, MATHML, XLINK, article, cited, fig, labelled, link, read

from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import Problems
from panelwise.formats.articles.article import figure_records
from panelwise.formats.articles.reading import read_articles


def test_a_figure_has_its_article_caption_markup_and_graphics() -> None:
    inner = '<alternatives><graphic xlink:href="g1.tif"/><graphic xlink:href="g1.png"/></alternatives>'
    caption = "<caption><p>In <italic>E. coli</italic>,\n x<sup>2</sup>.</p></caption>"
    found = read(article(f'<fig id="f1"><label>Fig. 1</label>{caption}{inner}</fig>'))
    assert (found.doi, found.pmcid, found.title, found.journal, found.year, found.licence) == (
        "10.1/a",
        "PMC12",
        "On two lungs",
        "Journal of Panels",
        2020,
        "CC BY-NC 4.0",
    )
    (record,) = figure_records(found, "a")
    assert record["caption"] == "In E. coli, x2."
    assert msgspec.to_builtins(record["caption_markup"]) == ([3, 10, "italic"], [13, 14, "sup"])
    assert record["graphics"] == ("g1.tif", "g1.png")
    assert record["source"]["document"] == "PMC12"
    assert record["source"]["fig_id"] == "f1"


def test_a_sentence_cites_by_link_and_its_paragraph_is_numbered() -> None:
    body = f"<p>Before.</p><p>We saw it, see e.g. {link(1, 'Fig. 1B, C')}. Then not.</p>{fig(1)}"
    (figure,) = read(article(body)).figures
    (mention,) = figure.mentions
    assert (mention.sentence, mention.paragraph) == ("We saw it, see e.g. Fig. 1B, C.", 1)
    assert (mention.kind, mention.panels) == ("link", ("B", "C"))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (f"({link(1, 'Figs. 1')}–{link(3, '3')})", [("1", "link", ()), ("2", "range", ()), ("3", "link", ())]),
        (f"({link(1, 'Figs. 1-3')})", [("1", "link", ()), ("2", "range", ()), ("3", "text", ())]),
        ("Fig. 2 to 3 show", [("2", "text", ()), ("3", "text", ())]),
        ("Figures 1A and 2(b,c) show", [("1", "text", ("A",)), ("2", "text", ("B", "C"))]),
        ("Fig. 3D-F shows", [("3", "text", ("D", "E", "F"))]),
        ("(Figure 1<xref rid='f1'/>)", [("1", "link", ())]),
        (f"Fig. {link(2, '2')} (A and B)", [("2", "link", ("A", "B"))]),
        ("in Fig. 3, 2 patients", [("3", "text", ())]),
        ("Supplementary Figure 1, Figure S2 and Extended Data Fig. 3", []),
        ("Smith et al. 2009 [fig. 1], their Fig. 2, Fig. 3 in Jones et al.", []),
        ("Figure 1—source data 1", []),
        ("1) found in Figure 1; 2) counted", [("1", "text", ())]),
        ("Their Fig. 2", []),
        ("Configure 1 and configuration 2", []),
        ("Figure 2A-1,B-1", [("2", "text", ("A", "B"))]),
        ("Supplementary Fig. 1 and Fig. 2", [("2", "text", ())]),
        ("SI Fig. 1; SI Appendix, Fig. 2; Additional file 1: Figure 3", []),
        ("Supplementary Material, Figure 1 and Fig. 2 of the supplement", []),
        ("our raw data (Fig. 1)", [("1", "text", ())]),
        ("Fig. 1, A and B, but Fig. 2, B cells", [("1", "text", ("A", "B")), ("2", "text", ())]),
        ("Figure 3, panels A to C", [("3", "text", ("A", "B", "C"))]),
        ("Figs. 1A–1C", [("1", "text", ("A", "B", "C"))]),
        (f"Fig. {link(1, '1')}(a)–(c)", [("1", "link", ("A", "B", "C"))]),
        ("Figs. 1A to 3", [("1", "text", ("A",)), ("2", "range", ()), ("3", "text", ())]),
        ("Figs. 1 + 2, and Fig. 1 vs 3", [(n, "text", ()) for n in "1213"]),
        (f"Figs. 1-{'9' * 5000}", [("1", "text", ())]),
        ("Figures 1 à 3", [("1", "text", ()), ("2", "range", ()), ("3", "text", ())]),
        (f"({link(1, '1')}–{link(3, '3')})", [("1", "link", ()), ("2", "range", ()), ("3", "link", ())]),
        (f"Figs {link(1, '1–')}{link(3, '3')}", [("1", "link", ()), ("2", "range", ()), ("3", "link", ())]),
        (f"Figs {link(1, '1A,B')} and {link(2, '2C')}", [("1", "link", ("A", "B")), ("2", "link", ("C",))]),
        ('<xref rid="f1 f2">Figs 1 and 2</xref>', [("1", "link", ()), ("2", "link", ())]),
        ('<xref rid="f1,f2">Figs 1, 2</xref>', [("1", "link", ()), ("2", "link", ())]),
        (f"{link(2, 'Figure 2')} (a) and {link(3, '3')}<italic>b</italic>",
         [("2", "link", ("A",)), ("3", "link", ("B",))]),
        ("Panel A of Figure 2; panels B and C in Fig. 3", [("2", "text", ("A",)), ("3", "text", ("B", "C"))]),
        (f"panel D of {link(1, 'Fig. 1')} shows", [("1", "link", ("D",))]),
        (f"{link(1, 'Figures 1')} and 2 show", [("1", "link", ()), ("2", "text", ())]),
        ("Fig. 1 of ref. 5; Fig. 2 in [7]; figure 3 of Reference 12", []),
        ("Appendix 1—figure 2; Appendix Fig. 1", []),
        ('<xref ref-type="bibr" rid="f1">1</xref>', [("1", "link", ())]),
        ("See <![CDATA[Fig. 2]]> and <?page 3?>Fig.<!-- no --> 3", [("2", "text", ()), ("3", "text", ())]),
        ("Figure&#160;2B, Fig.&#8201;3", [("2", "text", ("B",)), ("3", "text", ())]),
        ("Fig. 1, Figs 2 и 3; Figs 1 y 2", [(n, "text", ()) for n in "12312"]),
        ("Fig. 1a(i),b(ii), Fig. 2 (A, left), Fig. 3 (a total of 12)",
         [("1", "text", ("A", "B")), ("2", "text", ("A",)), ("3", "text", ())]),
        ("Fig. 1Ab and Fig. 2-B and Fig. 3.C)", [(n, "text", (letter,)) for n, letter in ("1A", "2B", "3C")]),
        ("Fig. 1ai", [("1", "text", ("A",))]),
        ("Fig. 1[a] and Fig. 2a vs. b", [("1", "text", ("A",)), ("2", "text", ("A", "B"))]),
        ("Panels A through C of Figure 1", [("1", "text", ("A", "B", "C"))]),
        ("Ｆｉｇ．１（ａ）, and Fig. 2（b）", [("1", "text", ("A",)), ("2", "text", ("B",))]),
        ("Fig. 1 α-actin and Fig. 2, β-cells", [("1", "text", ()), ("2", "text", ())]),
        ("Fig. 1 A y B. Fig. 2a und b, Fig. 3 A à C)",
         [("1", "text", ("A", "B")), ("2", "text", ("A", "B")), ("3", "text", ("A", "B", "C"))]),
        ("Fig. 1d, e and f; Fig. 2 (n: cells) and Fig. 2 ~3 days; ref 5, Fig. 3",
         [("1", "text", ("D", "E", "F")), ("2", "text", ()), ("2", "text", ())]),
        (f"{link(1, 'Fig 1A and 1C')}, {link(2, 'Fig. 2')}", [("1", "link", ("A", "C")), ("2", "link", ())]),
        ("Supplementary Materials and Methods, Figures 1 and 2; ref. 12, Fig. 3; (Appendix 2, Figure 3)", []),
        # Links without words, for which a page prints the number.
        (f"Fig.&#160;{link(1, '')}a and b", [("1", "link", ("A", "B"))]),
        (f"Figs.&#160;{link(1, '')}a, d and {link(3, ' ')}c", [("1", "link", ("A", "D")), ("3", "link", ("C",))]),
        (f"{link(1, '')} and so {link(2, '')}a", [("1", "link", ()), ("2", "link", ())]),
        (f"Figs. {link(1, '')}–{link(3, '')}", [("1", "link", ()), ("2", "range", ()), ("3", "link", ())]),
        (f"(Fig. 1a){link(1, '')} and that{link(2, '')}",
         [("1", "link", ()), ("2", "link", ())]),
    ],
)  # fmt: skip
def test_words_and_links_cite_figures(words: str, expected: list[tuple[str, str, tuple[str, ...]]]) -> None:
    assert sorted(cited(read(article(f"<p>{words}.</p>{fig(1)}{fig(2)}{fig(3)}")))) == sorted(expected)


@pytest.mark.parametrize(
    ("labels", "words", "expected"),
    [
        (["Fig. 1", "Extended Data Fig. 1"], "Extended Data Fig. 1 and Fig. 1; Fig. 1", [2, 1]),
        (["Supplementary Figure 1", "Figure 1"], "Figure 1, Supplementary Fig. 1", [1, 1]),
        (["Figure 1A", "Figure 1B", "Figure 2"], "Fig. 1, then Fig. 1B; Figure 2", [1, 2, 1]),
        (["1.", "2"], "Fig. 2", [0, 1]),
        (["FIG. 1 (color online).", "FIG. II"], "Fig. 1 and Fig. II", [1, 1]),
        (["Figure1", "FIG2", "Fig.3"], "Figure 1, Fig. 2, fig 3", [1, 1, 1]),
        (["Рис. 1", "図2"], "см. рис. 1, 結果を図2に示す", [1, 1]),
        (["Fig. 1.1", "Fig. 1.2", "Fig. 1.3"], "Figs 1.1-1.3", [1, 1, 1]),
        (["Рисунок 1", "Рисунок 2"], "на рисунках 1 и 2, рис. 2а", [1, 2]),
        (["Εικόνα 1"], "στην Εικ. 1", [1]),
        (["図１", "図2", "図3"], "図1〜3と図1，図2", [2, 1, 0]),
        (["图1", "图2", "图3"], "见图1和2；图1至3；图1、2", [3, 3, 1]),
        (["그림 1", "그림 2"], "그림 1과 그림 2에, 그림 1(가)", [2, 1]),
        (["Figures 1–4.", "Figs 5, 6", "Figure 7"], "Fig. 3 and Figs 2–7, Fig. 6", [2, 2, 1]),
        (["Figura 1 / Figure 1"], "Figura 1", [1]),
        (["Figure S1"], "Figures S1A–S1C", [1]),
    ],
)
def test_labels_of_many_kinds_are_cited(labels: list[str], words: str, expected: list[int]) -> None:
    found = read(article(f"<p>{words}.</p>{labelled(*labels)}"))
    assert [len(each.mentions) for each in found.figures] == expected


@pytest.mark.parametrize(
    ("label", "words", "expected"),
    [
        ("Рис. 1", "рис. 1а, б и рис. 1 (А–Г)", ["АБ", "АБВГ"]),
        ("איור 1", "איור 1א–ג, איור 1 (ב)", ["אבג", "ב"]),
        ("الشكل 1", "الشكل 1(أ–د) الشكل 1 (ب، ج)", ["أبجد", "بج"]),
        ("그림 1", "그림 1(가)과 그림 1(나–라), 그림 1가", ["가", "나다라", ""]),
        ("图1", "如图1a所示，图1b和c，图1（a~c）", ["A", "BC", "ABC"]),
        ("図1", "図1Aに示す。図1（B）", ["A", "B"]),
    ],
)
def test_panels_of_other_scripts_are_read(label: str, words: str, expected: list[str]) -> None:
    (figure,) = read(article(f"<p>{words}.</p>{labelled(label)}")).figures
    assert ["".join(each.panels) for each in figure.mentions] == expected


@pytest.mark.parametrize(
    ("caption", "label"),
    [
        ("<p>Figure 1. A lung.</p>", "Figure 1"),
        ("<p><bold>Fig. 1</bold> A lung.</p>", "Fig. 1"),
        ("<title>FIGURE 1 | A lung</title>", "FIGURE 1"),
        ("<title>Fig. 1 – A lung</title>", "Fig. 1"),
        ("<title>Fig. 1</title><p>a, left lung</p>", "Fig. 1"),
    ],
)
def test_a_figure_without_label_has_that_at_the_beginning_of_its_caption(caption: str, label: str) -> None:
    (figure,) = read(article(f"<p>See Fig. 1.</p><fig><caption>{caption}</caption></fig>")).figures
    assert (figure.label, len(figure.mentions)) == (label, 1)


def test_captions_in_other_languages_are_translations_and_signs_in_captions_no_pictures() -> None:
    sign = '<inline-graphic xlink:href="sign"/>'
    captions = f'<caption><p>Legenda {sign}.</p></caption><caption xml:lang="en"><p>Caption.</p></caption>'
    (figure,) = read(
        article(f'<fig><label>Fig. 1</label>{captions}<inline-graphic xlink:href="g"/></fig>')
    ).figures
    assert (figure.caption, figure.graphics) == ("Legenda .", ("g",))
    assert figure.translations == ({"label": "", "caption": "Caption.", "lang": "en"},)


def test_a_caption_is_its_title_paragraphs_lists_and_formulas_in_one_line() -> None:
    formula = f"<disp-formula><mml:math {MATHML}><mml:mi>x</mml:mi><mml:mn>1</mml:mn></mml:math></disp-formula>"
    parts = (
        f"<title>\n T.</title><list><list-item><p>one</p></list-item></list><p>\tA{formula}<bold> b </bold>c.</p>"
    )
    (figure,) = read(article(f"<fig><caption>\n {parts} </caption></fig>")).figures
    assert figure.caption == "T. one A x1 b c."
    assert [figure.caption[each.start : each.end] for each in figure.markup] == ["b"]
    terms = "<def-list><def-item><term>CT</term><def><p>scan</p></def></def-item></def-list>"
    (figure,) = read(article(f"<fig><caption><p>T.{terms}</p></caption></fig>")).figures
    assert figure.caption == "T. CT scan"


def test_links_to_a_graphic_or_a_part_of_the_caption_cite_the_figure() -> None:
    parts = '<caption id="c1"><p>C.</p></caption><graphic id="x1" xlink:href="g"/>'
    words = "<xref rid='x1'>Fig. 1</xref> and <xref ref-type='other' rid='c1'>its caption</xref>"
    (figure,) = read(article(f"<p>{words}.</p><fig><label>Fig. 1</label>{parts}</fig>")).figures
    assert [each.kind for each in figure.mentions] == ["link", "link"]


def test_what_is_never_read_is_not_parsed_and_its_errors_are_passed_over() -> None:
    body = f"<p>In {link(1, 'Fig. 1')}.</p>{fig(1)}<table-wrap><td>&nbsp;<b></td></table-wrap>"
    after = "<back><ref-list><ref-list><ref>&</ref></ref-list></ref-list></back>"
    other = f"<sub-article><front-stub/><body>{fig(2)}<br></body></sub-article>"
    (figure,) = read(article(body, after=after + other)).figures
    assert (figure.fig_id, len(figure.mentions)) == ("f1", 1)


def test_figures_in_tables_are_read_and_ends_in_comments_are_no_ends() -> None:
    table = f"<table-wrap><table><td>{fig(1)}</td></table></table-wrap>"
    comment = "<table-wrap><!-- </table-wrap> --><table/></table-wrap>"
    found = read(article(f"{comment}{table}<p>In {link(1, 'Fig. 1')}.</p>{comment}"))
    assert [(each.fig_id, len(each.mentions)) for each in found.figures] == [("f1", 1)]


def test_the_line_of_an_error_is_that_of_the_file() -> None:
    data = article("<table-wrap>\n\n</table-wrap><p>\n</q>")
    line = data[: data.index(b"</q>")].count(b"\n") + 1
    with pytest.raises(FormatError, match=f"line {line},"):
        read(data)


def test_captions_of_graphics_and_the_text_of_formulas_are_read() -> None:
    graphics = "".join(
        f'<graphic xlink:href="{n}"><label>{n}.</label><caption><p>View {n}</p></caption></graphic>' for n in "ab"
    )
    formula = (
        '<inline-formula><alternatives><inline-graphic xlink:href="i"/><tex-math>x^2</tex-math></alternatives>'
        "</inline-formula>"
    )
    first, second = read(article(f"<fig>{graphics}</fig>{labelled('Fig. 1', caption=f'For {formula}.')}")).figures
    assert (first.caption, first.graphics) == ("a. View a b. View b", ("a", "b"))
    assert (second.caption, second.graphics) == ("For x^2.", ())
    cited = f"<p>At {formula} see Fig. 1.{fig(2)}Then <xref rid='f2'> Fig. 2 </xref> too.</p>"
    found = read(article(cited + fig(1)))
    assert [each.mentions[0].sentence for each in found.figures] == ["Then Fig. 2 too.", "At x^2 see Fig. 1."]


def test_what_only_a_dtd_declares_is_supplied() -> None:
    head = '<!DOCTYPE article SYSTEM "a.dtd" [<!ENTITY % more SYSTEM "more.ent"> %more; ]>'
    data = f'{head}<article><body><p>&alpha;&foo;</p><fig id="f1"><caption><p>&foo; &beta;</p></caption>'
    problems = Problems()
    (found,) = read_articles(
        (data + '<graphic xlink:href="g"/></fig></body></article>').encode(), "a.xml", problems
    )
    assert (found.figures[0].caption, found.figures[0].graphics) == ("foo β", ("g",))
    assert problems.notes == ["a.xml: declares no entity &foo;; read as its name, declare it in the file"]


def test_characters_that_mark_links_are_harmless_in_a_file() -> None:
    strange = "&#129;9&#141;a &#143; &#129;x &#129;0&#141;"
    found = read(article(f"<p>{strange} {link(1, 'Fig. 1')}, {strange}.</p>{fig(1)}"))
    assert ("1", "link", ()) in cited(found)


def test_articles_within_records_of_a_repository_are_read() -> None:
    inner = f'<article xmlns="https://jats.nlm.nih.gov/ns">{FRONT}<body>{fig(1)}</body></article>'
    found = read(f"<record {XLINK}><metadata>{inner}</metadata></record>".encode())
    assert [each.graphics for each in found.figures] == [("g1",)]


def test_floats_boxes_and_other_articles_are_apart() -> None:
    body = (
        f"<p>One {fig(1)} two.</p><boxed-text><p>In {link(1, 'Fig. 1')}.</p></boxed-text>"
        f"<table-wrap><table><td><p>{link(1, 'Fig. 1')}</p></td></table></table-wrap><p>{link(2, 'Fig. 2')}.</p>"
    )
    other = f"<sub-article><body><p>{link(1, 'Fig. 1')}{fig(3)}</p></body></sub-article>"
    found = read(article(body, after=f"<floats-group>{fig(2)}</floats-group>{other}"))
    assert [figure.label for figure in found.figures] == ["Figure 1", "Figure 2"]
    assert [each.paragraph for figure in found.figures for each in figure.mentions] == [None, 1]


def test_an_appendix_cites_its_figures_in_paragraphs_without_number() -> None:
    appendix = f"<app><title>A</title><p>In {link(1, 'Fig. 1')}b and Fig. 2.</p>{fig(2)}</app>"
    found = read(article(f"<p>Text.</p>{fig(1)}", after=f"<back><app-group>{appendix}</app-group></back>"))
    assert cited(found) == [("1", "link", ("B",)), ("2", "text", ())]
    assert {each.paragraph for figure in found.figures for each in figure.mentions} == {None}


def test_a_group_names_its_figures_and_language_versions_are_one() -> None:
    panels = '<fig><label>(a)</label></fig><fig><label>(b)</label><graphic xlink:href="b"/></fig>'
    group = f'<fig-group id="f1"><label>Figure 1</label>{panels}<graphic xlink:href="all"/></fig-group>'
    found = read(article(f"<p>{link(1, 'Fig. 1')}</p>{group}"))
    assert [(each.graphics, len(each.mentions)) for each in found.figures] == [(("all",), 1), (("b",), 1)]
    english = '<fig xml:lang="en"><label>Figure 1</label><graphic xlink:href="g"/></fig>'
    versions = f'<fig xml:lang="pt"><label>Figura 1</label></fig>{english}'
    (one,) = read(article(f"<p>{link(1, 'Figura 1')}</p><fig-group id='f1'>{versions}</fig-group>")).figures
    assert (one.label, one.graphics, len(one.mentions)) == ("Figura 1", ("g",), 1)
    assert one.translations[0]["label"] == "Figure 1"


def test_a_figure_within_a_figure_keeps_caption_and_graphic_to_itself() -> None:
    outer, inner = read(article(fig(1, fig(2)))).figures
    assert (outer.caption, outer.graphics) == ("Title 1. Text 1.", ("g1",))
    assert (inner.caption, inner.graphics) == ("Title 2. Text 2.", ("g2",))


def test_s2orc_cites_by_span_by_words_and_by_range() -> None:
    text = "See  Fig. 1A, and Figures 1-3."
    data = {
        "title": "T",
        "paper_id": "PMC7",
        "body_text": [{"text": text, "ref_spans": [{"start": 5, "end": 12, "ref_id": "FIGREF0"}]}],
        "ref_entries": {
            f"FIGREF{n}": {"text": f"Figure {n + 1}: words.", "type": "figure"} for n in range(3)
        },
    }  # fmt: skip
    found = read(json.dumps(data).encode())
    assert found.pmcid == "PMC7"
    assert cited(found) == [("1", "link", ("A",)), ("1", "text", ()), ("2", "range", ()), ("3", "text", ())]
    assert found.figures[0].mentions[0].sentence == "See Fig. 1A, and Figures 1-3."


def test_docling_gives_pictures_with_captions_and_the_sentences_that_cite_them() -> None:
    def text(number: int, label: str, words: str) -> dict[str, object]:
        return {"self_ref": f"#/texts/{number}", "label": label, "content_layer": "body", "text": words}

    data = {
        "schema_name": "DoclingDocument",
        "origin": {"filename": "paper.pdf"},
        "texts": [
            text(0, "title", "On lungs"),
            text(1, "text", "We saw it (Fig. 1B). Then  Fig. 2."),
            text(2, "caption", "Figure 1. Two lungs."),
            text(3, "page_footer", "Fig. 1"),
            text(4, "caption", "Figure 2: One."),
        ],
        "pictures": [
            {"self_ref": "#/pictures/0", "captions": [{"$ref": "#/texts/2"}], "image": {"uri": "paper/p0.png"}},
            {"self_ref": "#/pictures/1", "captions": [], "image": {"uri": "paper/logo.png"}},
            {
                "self_ref": "#/pictures/2",
                "captions": [{"$ref": "#/texts/4"}],
                "image": {"uri": "data:image/png;x"},
            },
        ],
    }
    problems = Problems()
    (found,) = read_articles(json.dumps(data).encode(), "paper.json", problems)
    assert found.title == "On lungs"
    assert [(each.label, each.caption, each.graphics) for each in found.figures] == [
        ("Figure 1", "Figure 1. Two lungs.", ("paper/p0.png",)),
        ("Figure 2", "Figure 2: One.", ()),
    ]
    assert cited(found) == [("1", "text", ("B",)), ("2", "text", ())]
    assert found.figures[1].mentions[0].sentence == "Then Fig. 2."
    assert problems.notes == [
        "paper.json: 1 picture written into the file; "
        "run docling with --image-export-mode referenced for image files"
    ]
    with pytest.raises(FormatError, match='"texts" holds no list'):
        read_articles(b'{"schema_name": "DoclingDocument"}', "paper.json", problems)
