"""Checks on one question-answer pair, as it would go into the gold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from rapidfuzz.fuzz import ratio

from agreement.questions import normalised
from annotator.checks.rules import catalogue as checks
from annotator.checks.rules.words import (
    PLAIN_NAMES,
    content_words,
    exotic_colours,
    may_be_visual,
    names_visual,
    say_the_same,
    shortened,
)
from panelwise.domain import IMPOSSIBLE, UNANSWERABLE, Caption, Finding, QAItem, QAKind

BINARY = frozenset({QAKind.BINARY_VISUAL, QAKind.BINARY_NON_VISUAL})
CHOICE = frozenset({QAKind.CHOICE_VISUAL, QAKind.CHOICE_NON_VISUAL})
VISUAL = frozenset({QAKind.INFINITE_VISUAL, QAKind.BINARY_VISUAL, QAKind.CHOICE_VISUAL})
#: Options that a non-binary question has.
OPTIONS = 4
#: Longest answer, in words, without a warning.
LONG_ANSWER = 10
#: From this likeness on, in [0, 100], an answer is the unanswerable sentence, misworded.
NEARLY_UNANSWERABLE = 80.0
#: The note that a question gets which the caption alone answers.
CAPTION_NOTE = "question is based solely on caption"
_BINARY_ANSWERS = frozenset({"yes", "no", "true", "false"})
_LETTERS = re.compile(r"\s*(?:,|;|/|&|\band\b|\s)\s*", re.IGNORECASE)
_FIGURE = r"(?:figure|fig\.?|chart|plot|graph|diagram|image|visuali[sz]ation|picture)s?"
#: Names of types, the guidelines' own and others; two plots of one figure may be called "left plot".
_TYPE = (
    r"(?:(?:\w+ )?(?:bar|box|line|pie|scatter|pareto|column|area|bubble|violin|radar|density|venn|flow|tree|block"
    rf"|architecture|network)[ -]?{_FIGURE}|(?:scatter|box|violin)plots?|flowcharts?|histograms?|heat ?maps?"
    r"|tree ?maps?|confusion matri(?:x|ces)|neural networks?|trees?|tables?)"
)
_ASKS_FOR_TYPE = re.compile(
    rf"\b(?:what|which)\b[^?]{{0,20}}\b(?:types?|kinds?|sorts?) of (?:a |an |the |this )?(?:\w+ )?{_FIGURE}\b"
    rf"|\b{_FIGURE}[ -]types?\b"
    rf"|\b(?:is|are) (?:(?:this|the|these) {_FIGURE}|this|these|it) (?:an? )?(?:{_TYPE}|\w+[ -]{_FIGURE})\b",
    re.IGNORECASE,
)
#: An option that is a figure type, and how many of them make a question for the type.
_TYPE_OPTION, _TYPE_OPTIONS = re.compile(rf"\s*(?:an? )?{_TYPE}\W*", re.IGNORECASE), 3
#: Options that stand for both or neither of two others.
_BOTH_OR_NONE = re.compile(r"\s*(?:both|neither|none|all|either|cannot|not)\b.*", re.IGNORECASE)
_NUMBERING = re.compile(r"^\s*(?:figure|fig\.?)\s*\w+\s*[:.]?", re.IGNORECASE)


def is_none(item: QAItem) -> bool:
    """Return whether the pair was given up, as the guidelines have it where a type is impossible for a figure."""
    return normalised(item.question).rstrip(".") == normalised(IMPOSSIBLE)


def says_yes(item: QAItem) -> bool:
    """Return whether a binary pair is answered in the affirmative."""
    return normalised(item.answer).rstrip(".") in {"yes", "true"}


def is_unanswerable(answer: str) -> bool:
    """Return whether an answer is the sentence of unanswerable questions, or meant to be."""
    return ratio(normalised(answer), normalised(UNANSWERABLE)) >= NEARLY_UNANSWERABLE


def option_letters(count: int) -> str:
    """The letters of that many options."""
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:count]


def picked(answer: str) -> list[str]:
    """Return the options named by an answer to a question with options, as letters."""
    return [part for part in _LETTERS.split(answer.strip().rstrip(".")) if part]


def pair_findings(item: QAItem, caption: Caption, note: str = "") -> Iterator[Finding]:
    """Yield findings in a pair. note: the annotator's."""
    if is_none(item):
        return
    if item.question.strip():
        yield from _wording(item)
    else:
        yield checks.QUESTION_MISSING.found("the question is empty; write it", item.id)
    yield from _options(item)
    if item.answer.strip():
        yield from _answer(item)
    else:
        yield checks.ANSWER_MISSING.found("the answer is empty; write it", item.id)
    yield from _caption_only(item, caption, note)


def _options(item: QAItem) -> Iterator[Finding]:
    choices = item.choices
    if item.kind in CHOICE and len(choices) != OPTIONS:
        yield checks.OPTION_COUNT.found(f"the question has {len(choices)} options; give exactly four", item.id)
    elif item.kind not in CHOICE and choices:
        yield checks.OPTION_COUNT.found(
            f"the question has {len(choices)} options, its type has none; take them out, or change the type",
            item.id,
        )
    plain = [normalised(choice).rstrip(".") for choice in choices]
    binary = [choice for choice in plain if choice in _BINARY_ANSWERS]
    if (
        item.kind in CHOICE
        and len(binary) >= 2
        and all(choice in binary or _BOTH_OR_NONE.fullmatch(choice) for choice in plain)
    ):
        yield checks.OPTIONS_BINARY.found(
            "the options are those of a binary question, with both or none; give four that mean different things, "
            "or change the type",
            item.id,
        )
    letters = option_letters(len(choices))
    for (one, ours), (other, theirs) in combinations(zip(letters, choices, strict=False), 2):
        if " ".join(ours.split()) == " ".join(theirs.split()):
            yield checks.OPTIONS_REPEATED.found(f"options {one} and {other} are the same; change one", item.id)
        elif say_the_same(ours, theirs):
            yield checks.OPTIONS_ALIKE.found(
                f'options {one} "{shortened(ours)}" and {other} "{shortened(theirs)}" say nearly the same; '
                "change one",
                item.id,
            )


def _answer(item: QAItem) -> Iterator[Finding]:
    if item.kind is QAKind.UNANSWERABLE:
        if item.answer.strip() != UNANSWERABLE:
            yield checks.UNANSWERABLE_MISWORDED.found(
                f'the answer to an unanswerable question reads "{UNANSWERABLE}"; write it so, or change the type',
                item.id,
            )
        return
    if is_unanswerable(item.answer):
        yield checks.ANSWERED_AS_UNANSWERABLE.found(
            "the answer says that the question cannot be answered; change its type to unanswerable", item.id
        )
        return
    if item.kind in CHOICE:
        yield from _letters(item)
    elif item.kind in BINARY:
        if normalised(item.answer).rstrip(".") not in _BINARY_ANSWERS:
            yield checks.ANSWER_NOT_BINARY.found(
                f'the answer "{shortened(item.answer)}" is neither yes nor no; write one, or change the type',
                item.id,
            )
    elif normalised(item.answer).rstrip(".") in _BINARY_ANSWERS:
        yield checks.ANSWER_BINARY.found(
            f'an open question is answered "{shortened(item.answer)}"; ask for more, or change its type to binary',
            item.id,
        )
    elif (words := len(item.answer.split())) > LONG_ANSWER:
        yield checks.ANSWER_LONG.found(f"the answer has {words} words; shorten it if it can be", item.id)


def _letters(item: QAItem) -> Iterator[Finding]:
    letters = option_letters(len(item.choices))
    named = picked(item.answer)
    same = [
        letter
        for letter, choice in zip(letters, item.choices, strict=False)
        if normalised(choice) == normalised(item.answer)
    ]
    stray = [each for each in named if each.upper() not in letters or len(each) != 1]
    if not stray and named:
        return
    if same:
        advice = f"write its letter, {same[0]}"
    elif letters:
        advice = f"give letters from {letters[0]} to {letters[-1]}, as in A,C"
    else:
        advice = "give the question its options"
    yield checks.ANSWER_NOT_OPTION.found(
        f'the answer "{shortened(item.answer)}" is none of the options; {advice}', item.id
    )


def _wording(item: QAItem) -> Iterator[Finding]:
    texts = (item.question, *item.choices, item.answer)
    if item.kind in VISUAL and not any(may_be_visual(text) for text in texts):
        yield checks.NOT_VISUAL.found(
            "a visual pair names a shape, size, position, height, direction or colour; this one does not", item.id
        )
    elif item.kind not in VISUAL and item.kind is not QAKind.UNANSWERABLE:
        seen = next((word for word in map(names_visual, texts) if word), None)
        if seen is not None:
            yield checks.VISUAL.found(
                f'the pair is not to be visual and says "{seen}"; change the words, or the type', item.id
            )
    types = sum(_TYPE_OPTION.fullmatch(choice) is not None for choice in item.choices)
    if _ASKS_FOR_TYPE.search(item.question) or types >= _TYPE_OPTIONS:
        yield checks.ASKS_FOR_TYPE.found(
            "the question asks what type of figure this is; ask something else", item.id
        )
    for colour in exotic_colours(item.question, (*item.choices, item.answer)):
        name = PLAIN_NAMES.get(colour)
        advice = f', as "{name}"' if name else ""
        yield checks.EXOTIC_COLOUR.found(f'"{colour}" has a plainer name; use it{advice}', item.id)


def _caption_only(item: QAItem, caption: Caption, note: str) -> Iterator[Finding]:
    """An answer whose words stand in the caption, of a question about nothing that one has to see."""
    if item.kind in BINARY or item.kind is QAKind.UNANSWERABLE or CAPTION_NOTE in normalised(note):
        return
    there = content_words(_NUMBERING.sub("", caption.text))
    answer = item.answer
    if item.kind in CHOICE:
        named = {each.upper() for each in picked(item.answer)}
        lettered = list(zip(option_letters(len(item.choices)), item.choices, strict=False))
        answer = " ".join(choice for letter, choice in lettered if letter in named)
        if any(_is_in_caption(choice, there) for letter, choice in lettered if letter not in named):
            # It has other options too, and so does not tell which is right.
            return
    if names_visual(item.question) is None and _is_in_caption(answer, there):
        yield checks.CAPTION_ONLY.found(
            f'the caption has the answer\'s words; if it alone answers the question, note "{CAPTION_NOTE}"',
            item.id,
        )


def _is_in_caption(answer: str, caption: frozenset[str]) -> bool:
    """Return whether all words of an answer are in the caption; single letters and digits always are."""
    words = content_words(answer)
    return words <= caption and any(len(word) > 1 for word in words)
