"""Citations of figures in the words, scripts and numbers of many publishers."""

from __future__ import annotations

import pytest
from article_cases import article, cited, fig, labelled, link, read


def test_the_number_of_a_link_without_words_is_in_its_sentence() -> None:
    (figure,) = read(article(f"<p>Seen in Fig.&#160;{link(1, '')}b.</p>{fig(1)}")).figures
    assert [each.sentence for each in figure.mentions] == ["Seen in Fig. 1b."]


@pytest.mark.parametrize(
    ("words", "panels"),
    [
        ("рис. 1а", "А"),
        ("рис. 1, б", "Б"),
        ("рис. 1а–в", "АБВ"),
        ("рис. 1 (а, б)", "АБ"),
        ("рис. 1 в работе", ""),
        ("рис. 1α", "Α"),
    ],
)
def test_panels_have_letters_of_other_scripts(words: str, panels: str) -> None:
    (figure,) = read(article(f"<p>см. {words}.</p>{labelled('Рис. 1')}")).figures
    assert [each.panels for each in figure.mentions] == [tuple(panels)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"See {link(1, 'Fig.')} 1A and {link(2, 'Figure')} 2(b).", [("1", ("A",)), ("2", ("B",))]),
        (
            f"{link(1, 'Fig. 1')}, <italic>A</italic> and <italic>B</italic>. {link(2, 'Figure 2')} shows.",
            [("1", ("A", "B")), ("2", ())],
        ),
        ("Details are in the Supplement. Figure 2 shows all.", [("2", ())]),
        ("Suppl. Fig. 1 and Supplementary Fig. 2 show it.", []),
    ],
)
def test_panels_and_figures_by_the_words_of_further_publishers(body: str, expected: list[object]) -> None:
    found = read(article(f"<p>{body}</p>{fig(1)}{fig(2)}"))
    assert [(number, panels) for number, _, panels in cited(found)] == expected


def test_a_japanese_sentence_ends_at_its_full_stop() -> None:
    found = read(
        article(f"<p>肺を図1に示す。Fig. 2に示す。({link(3, 'Fig. 3A')})。終わり。</p>{fig(1)}{fig(2)}{fig(3)}")
    )
    assert [each.sentence for figure in found.figures for each in figure.mentions] == [
        "Fig. 2に示す。",
        "(Fig. 3A)。",
    ]
