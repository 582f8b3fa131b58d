"""Pictures about chance, and about merging."""

from __future__ import annotations

from agreement_pictures.canvas import PEOPLE, Sheet, known, short
from agreement_pictures.work import WORDS
from agreement_pictures.worked_beyond import (
    EVEN,
    SETS,
    SKEWED,
    THREE,
    Verdicts,
    counted_tokens,
    distances,
    given,
    merged,
    words,
)
from panelwise.domain.box import Box


def draw_alpha() -> Sheet:
    """Every word that counts, with what each annotator gave it to."""
    found = words().tokens
    nominal, masi = known(found.nominal), known(found.masi)
    tokens = counted_tokens()
    alike = sum(given(token)[0] == given(token)[1] for token in tokens)
    sheet = Sheet(
        "token-alpha",
        238,
        f"Nine words in a row, and below each the panels that ann and ben gave it to. They agree on {alike} of 9; "
        f"alpha, which takes away what chance would give, is {short(nominal)}.",
    )
    for y, name, kind in ((96, "ann", "a"), (136, "ben", "b")):
        sheet.text(30, y + 5, name, f"bold {kind}")
    for place, token in enumerate(tokens):
        x = 110 + 57 * place
        ours, theirs = given(token)
        if ours != theirs:
            sheet.rect(x - 26, 40, 52, 116, "fill bad wash")
        sheet.text(x, 60, WORDS[token], "small", "middle")
        for y, panels in ((96, ours), (136, theirs)):
            sheet.text(x, y + 5, " ".join(panels) or "–", "bold" if panels else "quiet", "middle")
    sheet.text(30, 192, f"alike: {alike} of {len(tokens)} words", "")
    sheet.text(240, 192, f"alpha {short(nominal)}", "bold")
    sheet.text(370, 192, f"by MASI {short(masi)}", "bold")
    sheet.text(30, 218, "–: given to no panel. That counts as an answer, too.", "small quiet")
    return sheet


def draw_kappa() -> Sheet:
    """The same share of alike verdicts, and two kappas."""
    sheet = Sheet(
        "kappa-and-ac1",
        322,
        "Two tables of twenty figures, accepted or rejected by ann and by ben, alike on 18 in both. Where nearly "
        "all are accepted kappa is below 0 and AC1 .89; where half are, both are .80.",
    )
    for x, title, case in ((40, "nearly all are good", SKEWED), (350, "half of them are", EVEN)):
        _verdicts(sheet, x, title, case)
    sheet.line(320, 24, 320, 290)
    return sheet


def _verdicts(sheet: Sheet, x: float, title: str, case: Verdicts) -> None:
    report = case.report()
    (status,), accepting = report.statuses, report.categories[0]
    sheet.text(x, 34, title, "bold")
    sheet.text(x + 150, 62, "ben accepts, rejects", "small quiet", "middle")
    for row, (name, cells) in enumerate(
        (("accepts", (case.both, case.only_ann)), ("rejects", (case.only_ben, case.neither)))
    ):
        y = 74 + 52 * row
        sheet.text(x, y + 22, "ann", "small quiet")
        sheet.text(x, y + 38, name, "small quiet")
        for column, number in enumerate(cells):
            left = x + 78 + 74 * column
            sheet.rect(left, y, 70, 48, "faint")
            kind = "a" if row == column else "bad"
            if number:
                sheet.rect(left, y, 70, 48, f"fill {kind}", opacity=0.1 + 0.03 * number)
            sheet.text(left + 35, y + 30, str(number), "", "middle")
    for y, name, score, kind in (
        (212, "alike", known(status.observed), "quiet"),
        (246, "kappa", known(status.kappa), "b"),
        (280, "AC1", known(accepting.ac1), "a"),
    ):
        sheet.text(x, y + 14, name)
        sheet.bar(x + 78, y, 110, max(score, 0), kind)
        sheet.text(x + 198, y + 14, short(score), "bold")


def draw_masi() -> Sheet:
    """Draw the distance of two sets."""
    sheet = Sheet(
        "masi",
        76 + 44 * len(SETS),
        "Four pairs of sets of panels: equal ones are 0 apart, one within the other .67, overlapping ones .89, "
        "sets that share nothing 1.",
    )
    sheet.text(30, 34, "ann gave it to", "small quiet")
    sheet.text(150, 34, "ben", "small quiet")
    sheet.text(230, 34, "how far apart, by MASI", "small quiet")
    told = ("the same", "one holds the other", "they overlap", "nothing in common")
    for row, ((one, other), far, words_) in enumerate(zip(SETS, distances(), told, strict=True)):
        y = 52 + 44 * row
        for left, panels, kind in ((30, one, "a"), (150, other, "b")):
            for place, name in enumerate(panels):
                sheet.rect(left + 32 * place, y, 28, 28, f"fill {kind} wash")
                sheet.rect(left + 32 * place, y, 28, 28, f"line {kind}")
                sheet.text(left + 32 * place + 14, y + 20, name, "", "middle")
        sheet.bar(230, y + 5, 160, far, "bad")
        sheet.text(402, y + 20, short(far), "bold")
        sheet.text(455, y + 20, words_, "small quiet")
    return sheet


def draw_consensus() -> Sheet:
    """Three boxes make one; words go by votes."""
    found = merged()
    sheet = Sheet(
        "consensus",
        292,
        "Left, three annotators' boxes, nearly the same. Middle, their median. Right, the words with their votes: "
        "with a quorum of two, those that at least two marked are in.",
    )
    for (name, part), kind, style in zip(THREE.items(), PEOPLE, ("", " dash", " dots"), strict=True):
        _panel(sheet, 30, part.box, f"line {kind}{style}")
        place = PEOPLE.index(kind)
        sheet.text(46 + 62 * place, 250, name, f"bold {kind}", "middle")
    sheet.text(122, 34, "three boxes", "bold", "middle")
    _panel(sheet, 240, found.box, "fill ink wash")
    _panel(sheet, 240, found.box, "line thick ink")
    sheet.text(324, 34, "their median", "bold", "middle")
    sheet.text(430, 34, "votes for its words", "bold")
    for row, (token, names) in enumerate(found.votes.items()):
        y = 58 + 40 * row
        inside = token in found.subcaption
        sheet.text(430, y + 15, WORDS[token], "bold" if inside else "quiet")
        for place in range(len(THREE)):
            if place < len(names):
                sheet.dot(510 + 22 * place, y + 9, "a" if inside else "dim", 8)
            else:
                sheet.ring(510 + 22 * place, y + 9, "dim", 7)
        sheet.text(585, y + 15, "in" if inside else "out", "bold" if inside else "quiet")
    sheet.text(30, 276, "quorum 2: a word is in from two votes on", "small quiet")
    return sheet


def _panel(sheet: Sheet, x: float, box: Box, kind: str) -> None:
    """A box of about 100 x 100 at double size."""
    scale = 1.75
    sheet.rect(
        x + scale * (box.x0 - 10), 44 + scale * box.y0, scale * (box.x1 - box.x0), scale * (box.y1 - box.y0), kind
    )
