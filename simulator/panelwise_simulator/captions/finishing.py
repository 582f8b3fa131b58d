"""From sentences to a caption's text and spans: marks, blanks, spelling, signs and slips like real ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from panelwise.domain import Span
from panelwise_simulator.captions.markup import read_markup
from panelwise_simulator.captions.phrases.language import Dice
from panelwise_simulator.captions.writing import Piece, Sentence

#: British words as the phrases have them, and their American spelling.
_AMERICAN = {
    "colour": "color", "tumour": "tumor", "grey": "gray", "centre": "center", "fibre": "fiber", "haem": "hem",
    "Haem": "Hem", "oedema": "edema", "labelled": "labeled", "labelling": "labeling", "normalised": "normalized",
    "analysed": "analyzed", "anaemia": "anemia", "ischaem": "ischem", "millimetre": "millimeter",
    "centimetre": "centimeter", "metres": "meters", "neighbour": "neighbor", "naevus": "nevus",
    "signalling": "signaling", "summarised": "summarized", "characterisation": "characterization",
    "organisation": "organization", "localisation": "localization", "localised": "localized", "faec": "fec",
    "standardised": "standardized", "generalised": "generalized", "behaviour": "behavior", "caecum": "cecum",
    "polarisation": "polarization", "embolisation": "embolization", "regularisation": "regularization",
    "urbanisation": "urbanization", "vapour": "vapor", "callipers": "calipers", "Callipers": "Calipers",
    "ageing": "aging", "mould": "mold", "hydrolys": "hydrolyz", "quantisation": "quantization",
}  # fmt: skip
_SPELLING = re.compile("|".join(sorted(_AMERICAN, key=len, reverse=True)))

#: Between pieces while their text is changed: no change takes it for part of a word.
_BORDER = "\x00"

_UNIT = re.compile(r"(?<=\d) (?=(?:µm|nm|mm|cm|kDa|bp|°C|Hz|h|min|mM|µM|K|mg)\b)")
_ASTRAL = str.maketrans({"α": "\U0001d6fc", "β": "\U0001d6fd", "µ": "\U0001d707", "γ": "\U0001d6fe"})
_DIGITS = str.maketrans("0123456789−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_EXPONENT = re.compile(r"(?<=[a-z])−\d\b")
_COMPARISON = re.compile(r"\b([pPn]) ([=<≤]) ")


@dataclass(frozen=True, slots=True)
class Finish:
    """The habits of one caption. changes: of its text, within tokens or blanks; last_mark: its full stop."""

    changes: tuple[Callable[[str], str], ...]
    last_mark: bool

    def text(self, text: str) -> str:
        """The text as this caption writes it."""
        for change in self.changes:
            text = change(text)
        return text


def draw_finish(dice: Dice, *, hard: float, bare: bool) -> Finish:
    """The habits of a caption. hard: from 0 to 1, how odd they may be; bare: of its markers, whose captions often
    lack the last full stop."""
    changes: list[Callable[[str], str]] = []
    if dice.chance(0.8):
        changes.append(lambda text: _SPELLING.sub(lambda found: _AMERICAN[found.group()], text))
    if dice.chance(0.35):
        changes.append(lambda text: text.replace("µ", "μ"))
    if hard and dice.chance(0.35):
        changes.append(lambda text: _COMPARISON.sub(r"\1\2", text))
    if hard and dice.chance(0.25):
        changes.append(lambda text: _EXPONENT.sub(lambda found: found.group().translate(_DIGITS), text))
    if dice.chance(0.04 + 0.1 * hard):
        blank = dice.pick(("\u00a0", "\u2009", "\u202f"))
        changes.append(lambda text: _UNIT.sub(blank, text))
    if dice.chance(0.03 * hard):
        changes.append(lambda text: text.replace("-", "\u2010"))
    if dice.chance(0.02 * hard):
        changes.append(lambda text: text.translate(_ASTRAL))
    if dice.chance(0.02 * hard):
        changes.append(lambda text: text.replace("é", "e\u0301").replace("å", "a\u030a").replace("x̄", "x\u0304"))
    if dice.chance(0.12):
        changes.append(lambda text: text.replace("–", "-"))
    if dice.chance(0.05 * hard):
        changes.append(lambda text: text.replace("'", "’"))
    return Finish(tuple(changes), last_mark=dice.chance(0.3 if bare else 0.82 if hard else 0.92))


def finish(
    dice: Dice, finishing: Finish, sentences: Sequence[Sentence], *, hard: float
) -> tuple[str, dict[str, tuple[Span, ...]]]:
    """The caption's text, and the spans of each label, in order of the labels."""
    pieces: list[Piece] = []
    slip = len(sentences) - 1 if len(sentences) < 2 else 1 + dice.below(len(sentences) - 1)
    kind = dice.weighted({"none": 12.0, "joined": 0.5 * hard, "gap": 0.2 * hard, "no mark": 0.4 * hard})
    for place, sentence in enumerate(sentences):
        if not sentence.pieces:
            continue
        if pieces:
            blank = " "
            if place == slip and kind == "gap":
                blank = "  "
            if place == slip and kind == "joined" and _ends_open(pieces[-1].text):
                blank = ""
            pieces.append(Piece((), blank))
        *begin, last = _trimmed(sentence.pieces)
        mark = sentence.mark
        if place == len(sentences) - 1:
            mark = "." if finishing.last_mark else ""
        elif place + 1 == slip and kind == "no mark":
            mark = ""
        if last.text.endswith((".", ";", ":", "?")):
            mark = ""
        pieces += [*begin, Piece(last.labels, last.text + mark)]
    texts = finishing.text(_BORDER.join(piece.text for piece in pieces)).split(_BORDER)
    return read_markup("".join(_markup(piece, text) for piece, text in zip(pieces, texts, strict=True)))


def _trimmed(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, with a comma that one begins with left to those whose text it goes on with."""
    result: list[Piece] = []
    for piece in pieces:
        rest = piece.text.lstrip(",;: ")
        if piece.labels and len(rest) < len(piece.text):
            going_on = result[-1].labels if result else ()
            kept = tuple(label for label in piece.labels if label in going_on)
            result.append(Piece(kept, piece.text[: len(piece.text) - len(rest)]))
            piece = Piece(piece.labels, rest)
        result.append(piece)
    return result


def _ends_open(text: str) -> bool:
    """Return whether a word may follow at once and still be a token of its own."""
    return bool(text) and not (text[-1].isalnum() or text[-1] == "_")


def _markup(piece: Piece, text: str) -> str:
    if piece.labels and any(sign.isalnum() for sign in text):
        return f"{{{','.join(piece.labels)}|{text}}}"
    return text
