"""Sentences of a caption, and which of them are notes on the whole figure: scale bars, statistics."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: What a stop does not end a sentence after: a word just before it, at most 8 characters back.
_ABBREVIATION = re.compile(
    r"(?:\b(?:Figs?|figs?|vs|cf|al|ca|approx|resp|no|No|Nos|spp?|var|subsp|cv|Dr|St|Mr|Mrs|Prof|Eqs?|Refs?|Tab|Suppl|"
    r"e\.g|i\.e|i\.v|i\.p|s\.c|incl|excl|temp|conc|min|max|avg|dil|Inc|Ltd|Co|[a-z])|\b[A-Z])\.$"
)
#: Letters of the longest of them.
LONGEST_ABBREVIATION = 6
_STOP = re.compile(r"[.!?\n](?:(?<=\n)|[)\]'\"”’]{0,2}(?=\s|[(\[][A-Za-z0-9]{1,3}[)\]–,-]|[a-z]\s[A-Z]|$))")
#: Letters for a unit, a gene or a variable that end a sentence: "at 37 °C. Next", "vitamin C. Next", "ΔI / I. X".
_LETTER_STOP = re.compile(r"(?:[°\d/=]\s?|\b(?:vitamin|panels?|type|group|genome|in|and|of|from)\s)[A-Za-z]\.$")


#: What may head a panel: "(a", "B)".
_HEAD = re.compile(r"\(|[A-Za-z]\)")


def _abbreviated(before: str) -> bool:
    """Return whether text up to a stop ends with an abbreviation; digits and long words are ruled out at once."""
    if len(before) > LONGEST_ABBREVIATION + 1:
        last = before[-2 - LONGEST_ABBREVIATION : -1]
        if not last[-1].isalpha() or last.isalpha():
            return False
    return _ABBREVIATION.search(before) is not None


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Character ranges of the sentences, in order, blanks included; those of nothing but blanks left out."""
    start = 0
    for match in _STOP.finditer(text):
        place = match.start()
        if text[place] == ".":
            before = text[max(0, place - 10) : place + 1]
            following = text[match.end() : match.end() + 3].lstrip()
            if following[:1].islower() and following[1:2].isalpha():
                # "sp. nov", "i.p. injection": a sentence that begins with a small letter is rare.
                link = text.startswith(("http", "doi"), match.end() + 1)
                if _abbreviated(before) or (not link and len(before.rsplit(None, 1)[-1]) <= 4):
                    continue
            elif not _HEAD.match(following) and _abbreviated(before) and not _LETTER_STOP.search(before):
                continue
        if not text[start : match.end()].isspace():
            yield start, match.end()
        start = match.end()
    if text[start:].strip():
        yield start, len(text)


_ARTICLES = (
    r"(?:the\s|all\s|each\s|every\s|different\s|same\s|small\s|capital\s|vertical\s|black\s|white\s|in\sall\s|"
    r"both\s){0,3}"
)
#: How a note on measurements, statistics, abbreviations or sources begins, in small letters, after an article.
_NOTES = (
    r"scale[\s-]?bars?\b",
    r"bars?\s?(?:[:=,.]|\d|length|size)",
    r"bars\s(?:and\s\w+\s)?(?:represent|show|indicat|denot|are|correspond\sto)\w*\s(?:the\s)?(?:means?|averages?|medians?|s\.?e|s\.?d|"
    r"standard|errors?|\d)",
    r"scales?\b",
    r"errors?[\s-]bars?",
    r"data\s?(?:are|is|were|have\sbeen|represents?|shown?|points?|sets?|with|information|\(|in|from|pooled|presented|express\w*|:)",
    r"(?:values?|means?|statistic\w*|abbreviations?|abbr|asterisks?|stars?|significan\w+|sources?|reprinted|adapted|"
    r"modified|reproduced|presented|magnifications?|whiskers|planned|letters?|p-values?|credits?|notes?:|throughout|"
    r"student|unpaired|paired|doi|https?|sem|sd|se|s\.e\.m|s\.d|ci|panels|experiments|results|samples)\b",
    r"original\smagnification",
    r"(?:base\s?maps?|map\s(?:data|tiles))\b",
    r"images?\s(?:are|were|shown\sare|courtesy)\b",
    r"raw\sdata",
    r"(?:two|one|three)-(?:way|tailed|sided)",
    r"repeated\smeasures",
    r"box(?:es|\s?plots?)?\s(?:represent|show|indicat|and\b|plot)",
    r"(?:lowercase|lower-case|different)\b",
    r"symbols\sas\b",
    r"photo(?:s|graphs?|graphy|micrographs?)?\b",
    r"for\s(?:clarity|details|abbreviations|all|interpretation|more|further|full|statistic)",
    r"colou?r\s(?:figure|version)",
    r"see\s(?:also|text|tables?|figs?|supp\w*|methods|main)\b",
    r"additional\s(?:details|files?|data|info\w*)",
    r"supplement\w+",
    r"(?:tukey|dunnett|bonferroni|kruskal|mann|wilcoxon|welch|fisher(?:['’]?s)?\s(?:exact|lsd|least|test|protected)|anova|log-?rank|post[\s-]hoc|holm|sidak)",
    r"standard\s(?:errors?|deviations?)",
    r"(?:experiments?|measurements?|assays?|at\sleast|representative|similar)\b[^.]{0,60}\b(?:times|independent|"
    r"replicates?|triplicate|experiments)\b",
)
#: How one begins that is a note only after the last panel.
_LAST_NOTES = (
    r"shown\s(?:are|is)\b",
    r"for\seach\b",
    r"note\b",
    r"(?:data\s)?(?:dot|point|value|experiment|bar|column|box|symbol|circle)s?\s(?:represent|is\b|are\b|show|was\b|"
    r"were\b|indicat|correspond|with\b)",
)
# For text made small: ignoring case in the pattern takes several times as long.
_LAST_WORDS = re.compile(_ARTICLES + "(?:" + "|".join(_LAST_NOTES) + ")")
_WORDS = re.compile(_ARTICLES + "(?:" + "|".join(_NOTES) + ")")
_FIGURES = re.compile(
    r"(?:[*#†‡§+∗^]{1,4}|[(\[]?[nNpP]\s?[=<>≤≥]|[(\[]?[*#†‡§∗]|[Nn]\.?\s?[Ss]\.?[,:=\s]|[(\[]?\w{0,3}[*#∗]{1,4}\s?[pP]\s?[<=>])"
)
#: "MA, methamphetamine; QTL, quantitative trait locus", "CS: Chinese Spring": abbreviations and what they mean.
_ABBREVIATED = re.compile(
    r"[^\s,:=]{1,14}(?:\s[^\s,:=]{1,10})?\s?(?:,\s(?!and\b|or\b|to\b|the\b)[^.;,:=]{2,70}(?:;|\.?\s*$)|"
    r"[:=]\s?[^.;,:=]{2,70}(?:;|,\s[^\s,:=]{1,12}(?:\s[^\s,:=]{1,8})?\s?[:=]|\.?\s*$))"
)
_SHORT_NAME = re.compile(r"[A-Z0-9αβγδ][^\s,:=]{0,12}(?:\s[A-Z0-9][^\s,:=]{0,8})?\s?[,:=]|[A-Za-z]{1,4}\s?[,:=]")
_ANYWHERE = re.compile(
    # Most places are ruled out by their letter, before looking for a border of words.
    r"(?=[AFMPSTabeimpst])\b(?:mean\s?(?:s|values?)?\s?(?:±|\+/-|\+/−)|(?:are|as)\s(?:the\s)?means?\b|[Ss]cale\sbars?[\s,:=]|standard\s(?:error|deviation)s?"
    r"\b|(?:S\.?E\.?M|s\.e\.m|S\.?D)\.?\b|error\sbars?|[Ss]tudent[’']?s?\s|t[\s-]tests?\b|ANOVA|[pP]\s?[<=>≤≥]\s?0?\.?\d|"
    r"significan(?:t|tly)\s(?:different|differences?|at|by|compared)\b|independent\s(?:biological\s)?(?:experiments|replicates|repeats)|in\striplicate|"
    r"biological\sreplicates|post[\s-]hoc|all\s(?:panels|images|figures|plots)|both\s(?:panels|images|figures)|each\spanel|"
    r"[Ss]upplement(?:ary|al)\s|(?:Table|Fig(?:ure|\.)?|Methods|Materials)\s?S?\d)"
)


def is_note(text: str) -> bool:
    """Return whether a sentence is a note on measurements, statistics or sources, not on what is seen."""
    head = text[:160]
    return _WORDS.match(head.lower().lstrip("([")) is not None or _FIGURES.match(head) is not None


def is_last_note(text: str) -> bool:
    """Return whether a sentence explains abbreviations or points: it is on all panels if it follows the last."""
    head = text[:160]
    if _LAST_WORDS.match(head.lower()) is not None:
        return True
    return _SHORT_NAME.match(head) is not None and _ABBREVIATED.match(head) is not None


def mentions_measures(text: str) -> bool:
    """Return whether a sentence speaks of errors, tests, replicates, or all panels."""
    return _ANYWHERE.search(text, 0, 400) is not None


_LEGEND = re.compile(
    # What lines, colours and signs mean.
    r"(?:(?:The|Black|White|Red|Blue|Green|Yellow|Gr[ea]y|Orange|Purple|Pink|Solid|Dashed|Dotted|Horizontal|Vertical|"
    r"Open|Closed|Filled|Shaded|Bold|Thick|Thin|Individual|Different|and|or)\s){0,3}"
    r"(?:[Aa]rrow|[Ll]ine|[Cc]olou?r|[Dd]ot|[Cc]ircle|[Tt]riangle|[Ss]ymbol|[Ss]egment|[Ss]quare|[Bb]ox|[Hh]exagon|[Nn]umber|"
    r"[Dd]iamond|[Cc]ross|[Ss]haded|[Rr]ed\b|[Bb]lue\b|[Gg]reen\b|[Bb]lack\b|[Ww]hite\b|[Yy]ellow\b|[Gg]r[ea]y\b)"
)


def is_legend(text: str) -> bool:
    """Return whether a sentence tells what lines, colours or signs mean."""
    return _LEGEND.match(text) is not None
