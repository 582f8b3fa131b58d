"""Similarity of two answers to one question: exact, equal up to notation, or by shared words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from rapidfuzz.distance import LCSseq

from agreement.questions.stems import stem
from panelwise.domain import QAKind

#: Words before a number that do not change its meaning.
_ABOUT = re.compile(r"^(?:approximately|approx\.?|about|around|circa|ca\.?|roughly|~|≈)\s*")
_ARTICLE = re.compile(r"^(?:the|an|a)\s+")
_LETTERS = re.compile(r"[\s,;/&]+|\band\b")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_MINUS = str.maketrans({"−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-"})
_NO_WORD = re.compile(r"[^a-z0-9]+")
_CHOICES = frozenset({QAKind.CHOICE_VISUAL, QAKind.CHOICE_NON_VISUAL})


@dataclass(frozen=True, slots=True)
class Overlap:
    """Overlap of two texts, in [0, 1]: share of the answer, share of the gold, and their harmonic mean."""

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, shared: float, gold: int, answer: int) -> Overlap:
        """shared: of `gold` and `answer` words."""
        if not shared:
            return NO_OVERLAP
        return cls(shared / answer, shared / gold, 2 * shared / (gold + answer))


NO_OVERLAP = Overlap(0.0, 0.0, 0.0)


def normalised(text: str) -> str:
    """Normalise a text: case-folded, single blanks, NFKC. Raises TypeError for anything else, such as None.

    >>> normalised("  Cosine\\n similarity ")
    'cosine similarity'
    """
    return " ".join(unicodedata.normalize("NFKC", _checked(text)).casefold().split())


def exact_match(gold: str, answer: str) -> bool:
    """Return True if two answers are one text up to case and blanks."""
    return normalised(gold) == normalised(answer)


def equal_answers(gold: str, answer: str, kind: QAKind | None = None) -> bool:
    """Return True if two answers differ in notation only: numbers of one value, letters in another order.

    Ignored besides case and blanks: a leading article or "approximately", a final full stop, the minus sign's
    form, and thousands separators. kind: of the question, None if unknown.

    >>> equal_answers("-1.0", "−1"), equal_answers("A,C", "C, A", QAKind.CHOICE_VISUAL), equal_answers("4", "5")
    (True, True, False)
    """
    if exact_match(gold, answer):
        return True
    if kind in _CHOICES:
        return _letters(gold) == _letters(answer)
    ours, theirs = _bare(gold), _bare(answer)
    if ours == theirs:
        return True
    one, other = _number(ours), _number(theirs)
    return one is not None and one == other


def rouge_1(gold: str, answer: str) -> float:
    """Return ROUGE-1 F1, in [0, 1]: shared words with their multiplicity; 0 if either has none.

    >>> rouge_1("0.94 - 0.95", "0.95")
    0.6666666666666666
    """
    return rouge(gold, answer)[0].f1


def rouge_l(gold: str, answer: str) -> float:
    """Return ROUGE-L F1, in [0, 1]: the longest common subsequence of words. See `rouge_1`."""
    return rouge(gold, answer)[1].f1


def rouge(gold: str, answer: str) -> tuple[Overlap, Overlap]:
    """Return ROUGE-1 and ROUGE-L as the shared task's script has them, by stems of words; 0 if either has none."""
    ours, theirs = words(gold), words(answer)
    shared = (Counter(ours) & Counter(theirs)).total(), LCSseq.similarity(ours, theirs)
    one, longest = (Overlap.of(each, len(ours), len(theirs)) for each in shared)
    return one, longest


def words(text: str) -> list[str]:
    """Return the words that ROUGE counts: runs of a to z and digits; of four letters or more the stem.

    Raises TypeError for anything but a text.
    """
    return [stem(each) if len(each) > 3 else each for each in _NO_WORD.sub(" ", _checked(text).lower()).split()]


def _checked(text: object) -> str:
    """Return a text. Raises TypeError for other values, which have no similarity."""
    if not isinstance(text, str):
        raise TypeError(f'an answer is {text!r}, not a text; leave it out, or give "" for an empty one')
    return text


def _letters(text: str) -> frozenset[str]:
    return frozenset(part for part in _LETTERS.split(normalised(text).rstrip(".")) if part)


def _bare(text: str) -> str:
    plain = normalised(text.translate(_MINUS)).removesuffix(".")
    return _ARTICLE.sub("", _ABOUT.sub("", plain))


def _number(text: str) -> Decimal | None:
    """Return the value of a plain number; None for anything else, including a number with a unit."""
    try:
        value = Decimal(_THOUSANDS.sub("", text))
    except InvalidOperation:
        return None
    return value if value.is_finite() else None
