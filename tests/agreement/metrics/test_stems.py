"""Stems of words, against those that NLTK's Porter stemmer gives them."""

from __future__ import annotations

from agreement.questions.stems import stem

#: The rules in their order: short and irregular words, plurals, the past, y, and longer endings.
STEMS = {
    **{"as": "as", "dying": "die", "news": "news"},
    **{"ties": "tie", "flies": "fli", "caresses": "caress", "gas": "ga", "panels": "panel"},
    **{"died": "die", "dried": "dri", "agreed": "agre", "feed": "feed", "hopping": "hop", "falling": "fall"},
    **{"hissing": "hiss", "fizzed": "fizz", "located": "locat", "troubled": "troubl", "sized": "size"},
    **{"filing": "file", "failing": "fail", "happy": "happi", "say": "say"},
    **{"radically": "radic", "apology": "apolog", "relational": "relat", "hopefulness": "hope"},
    **{"electrical": "electr", "adjustable": "adjust", "controlling": "control", "rate": "rate", "cease": "ceas"},
}


def test_words_have_the_stems_that_the_shared_task_counts() -> None:
    assert {word: stem(word) for word in STEMS} == STEMS
