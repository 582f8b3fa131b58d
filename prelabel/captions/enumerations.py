"""Panels that a caption without markers lists in words: "AP and lateral radiographs", "left to right: A, B and C".

Each list gives one panel an item, in reading order; two lists (rows and columns, or "pre- and postoperative AP and
lateral views") give one panel a pair. An item is the text of its panel; the text around the list is on all panels.
Patterns are bounded, so that time stays linear in the caption's length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, pairwise

from prelabel.captions.sentences import is_note, sentences

Range = tuple[int, int]

#: More items than this are a list of something else.
MOST_ITEMS, MOST_PANELS = 10, 24
#: Words of an item in a list with commas.
LONGEST_ITEM = 10
#: Sentences of a caption in which its panels are listed.
FIRST_SENTENCES = 3
#: Characters before a list's end where a verb may follow it: "oak and ash are shown in".
SHOWN = 40
#: Characters of a sentence in which a list is looked for.
REACH = 600

#: Words for a picture, in small letters.
PICTURE = (
    r"(?:radio\s?graphs?|x-?\s?rays?|images?|views?|sections?|scans?|photographs?|photos?|pictures?|(?:photo-?)?micrographs?|"
    r"projections?|slices?|snapshots?|frames?|angiograms?|sonograms?|tomograms?|reconstructions?|films?|planes?)"
)
#: Ways to look at one thing, each a picture of its own.
_VIEW = (
    r"(?:AP|PA|antero-?posterior|postero-?anterior|lateral|axial|coronal|sagittal|oblique|transverse|longitudinal|"
    r"transaxial|frontal|anterior|posterior|dorsal|ventral|medial|cranial|caudal|palmar|plantar|volar|occlusal|buccal|"
    r"lingual|front|side|rear|back|plan-view|cross-sectional|top-view|side-view|"
    r"(?:pre|post|intra)-?(?:operative|treatment|contrast|therapy|surgical)|pre-|post-|(?:T1|T2|PD)(?:-weighted)?|FLAIR|"
    r"(?:arterial|venous|portal(?:\svenous)?|delayed)(?:[\s-]phase)?|bright-?\s?field|dark-?\s?field|fluorescence|"
    r"phase-contrast|(?:low|high|lower|higher)[\s-](?:power|magnification|resolution)|"
    r"(?:FE-?|HR-?)?(?:SEM|TEM|STEM)|AFM|CT|MRI|MR|PET|SPECT|ultrasound|gr[ae]y-?scale|colou?r\sDoppler)"
)
_VIEWS = re.compile(
    rf"(?<![\w-])(?:{_VIEW})(?:,\s(?:{_VIEW})){{0,8}},?\s(?:and|&)\s(?:{_VIEW})(?![\w-])", re.IGNORECASE
)
_ONE_VIEW = re.compile(rf"(?<![\w-])(?:{_VIEW})(?![\w-])", re.IGNORECASE)
#: What follows a list of views: pictures, at most three words on, or another list.
_OF_PICTURES = re.compile(rf"(?:\s[\w-]{{1,20}}){{0,3}}\s{PICTURE}\b", re.IGNORECASE)
#: What follows one at the start of a sentence: "CT and MRI of the brain".
_SHOWING = re.compile(r"\s(?:of|show\w*|demonstrat\w*|reveal\w*)\b")
#: Imaging methods: at the head of a sentence, each one means a picture.
_MEANS_OF = (
    r"(?:X-?\s?rays?|radio\s?graphs?|CT|MRI?|PET(?:[/-]CT)?|SPECT|ultrasound|sonography|(?:ultra)?sonograms?|angiogra(?:ms?|phy)|"
    r"(?:computed\s)?tomography|magnetic\sresonance\simag(?:es|ing)|(?:light\s|electron\s)?microscopy|(?:photo-?)?micrographs?|"
    r"photographs?|histology|histopathology|immunohistochemistry|immunofluorescence|endoscopy|colonoscopy|bronchoscopy|"
    r"fundoscopy|electrocardiogra(?:ms?|phy)|echocardiogra(?:ms?|phy)|scintigraphy|mammogra(?:ms?|phy)|OCT|ECG|EEG)"
)
_PICTURED = (
    rf"(?:[\w-]{{1,20}}\s){{0,4}}{_MEANS_OF}(?:\s(?:scans?|images?|views?|imaging|staining|slices?))?"
    r"(?:\s\([^()]{1,40}\))?"
)
_PICTURES = re.compile(
    rf"\s?({_PICTURED})(?:,\s({_PICTURED}))?(?:,\s({_PICTURED}))?,?\sand\s({_PICTURED})", re.IGNORECASE
)
_CLAIM = re.compile(r"\b(?:by|using|via|was|were|is|are|on|from|with|of|in|for)\b")
#: A sentence on one picture: "Sagittal T2-weighted MRI shows", "Histological section".
_ONE_PICTURE = re.compile(rf"\s?(?:[\w-]{{1,24}}\s){{0,5}}(?:{_MEANS_OF}|{PICTURE})\b", re.IGNORECASE)
#: Before a list of means, not of panels: "confirmed by CT and MRI scans".
_MEANS = re.compile(r"\b(?:by|using|via|between|on|from|with|without|the\ssame)\s(?:the\s)?$", re.IGNORECASE)

_UNIT = (
    r"(?:(?:milli|micro|nano)?seconds?|minutes?|hours?|days?|weeks?|months?|years?|"
    r"ms|min|sec|hrs?|hpf|dpf|dpi|hpi|wk|s|h|d|[µμ]s|ns|ps|fs)"
)
_NUMBER = r"\d{1,4}(?:\.\d{1,3})?"
_TIMES = re.compile(
    rf"(?<![\w.,±–-]){_NUMBER}(?:\s?{_UNIT})?(?:,\s{_NUMBER}(?:\s?{_UNIT})?){{0,9}},?\s(?:and|&)\s"
    rf"{_NUMBER}\s?{_UNIT}(?![\w-])"
)
_STAGES = re.compile(
    r"\b(?P<word>(?:day|week|month|year|hour|stage|grade|phase|patient|case|level|slice|frame)\s)"
    rf"{_NUMBER}(?:,\s(?P=word){_NUMBER}){{0,9}},?\s(?:and|&)\s(?P=word){_NUMBER}(?![\w-])",
    re.IGNORECASE,
)
_ONE_STAGE = re.compile(rf"[A-Za-z]{{3,8}}\s{_NUMBER}")
_ONE_TIME = re.compile(rf"(?P<number>{_NUMBER})(?:\s?(?P<unit>{_UNIT})(?![\w-]))?")
_BEFORE_AND_AFTER = re.compile(r"\b(before)(?:,\s(?P<during>during),?)?\sand\s(?:\d{1,3}\s\w{1,8}\s)?(after)\b")
_HEADED_BY_PICTURES = re.compile(rf"(?:\S{{1,24}}\s){{0,6}}{PICTURE}\b", re.IGNORECASE)

_ORDERED = re.compile(
    r"\(?\b(?:from\s)?(?:(?:the\s)?left\sto\s(?:the\s)?right|(?:the\s)?top\sto\s(?:the\s)?bottom)\b\)?",
    re.IGNORECASE,
)
_LINES = re.compile(
    r"\b(?P<line>rows?|columns?)(?:\s?\([^()]{1,30}\))?"
    r"(?:\s?:\s|\s(?:show|are|correspond\sto|represent|display)s?\s|,?\sfrom\s(?:left\sto\sright|top\sto\sbottom)[,:]\s)",
    re.IGNORECASE,
)
_RESPECTIVE = re.compile(
    r"\b(?:(?:the\s)?(?P<one>left|right|top|bottom|upper|lower)(?:,\s(?P<mid>middle|cent(?:er|re|ral)),?)?\sand\s"
    r"(?:the\s)?(?P<two>left|right|top|bottom|upper|lower)(?:\s(?:panels?|images?|rows?|columns?|plots?|graphs?|halves|sides))?)"
    r"(?P<show>\s(?:show|display|present|depict|illustrate|are|represent|correspond\sto)s?\s)?",
    re.IGNORECASE,
)
_RESPECTIVELY = re.compile(r",?\s\(?respectively\b")
_JOINT = re.compile(r",\s(?:and\s|or\s)?|\sand\s")
_SEMICOLON = re.compile(r";\s(?:and\s)?")
_PREPOSITION = re.compile(r"\b(?:of|for|in|on|with|by|at|from|under|between|showing|show|shows|using|among)\s")
_ARE_SHOWN = re.compile(
    r"\s(?:is|are|was|were)\s(?:shown|displayed|plotted|presented|depicted|given|illustrated)(?:\s(?:in|on|at))?\s*$"
)
_ARTICLE = re.compile(r"(?:the|an?)\s")
_PLACE_NAMES = {"upper": "top", "lower": "bottom", "center": "middle", "centre": "middle", "central": "middle"}
_OPPOSITE = {"left": "right", "right": "left", "top": "bottom", "bottom": "top"}
_READING = {"left": 0, "top": 0, "middle": 1, "right": 2, "bottom": 2}


#: Words of several pictures, or of places in a figure.
_SEVERAL = re.compile(
    r"\b(?:radiographs|x-?rays|images|views|sections|scans|photographs|photos|pictures|micrographs|smears|slices|"
    r"projections|frames|snapshots|angiograms|sonograms|tomograms|reconstructions|films|planes|panels|plots|graphs|"
    r"maps|spectra|examples|rows?|columns?|left|right|top|bottom|upper|lower|before|after|respectively)\b",
    re.IGNORECASE,
)


def speaks_of_several(text: str) -> bool:
    """Return whether a caption has a word for several pictures, for a place, or for before and after."""
    return _SEVERAL.search(text) is not None


def read_enumeration(text: str) -> dict[str, list[Range]]:
    """The panels that a caption lists, in reading order: ranges of characters by a place or a number from 1.

    {} where it lists none, or lists them in several ways.
    """
    for place, (start, end) in enumerate(sentences(text)):
        if place == FIRST_SENTENCES:
            break
        stop = min(end, start + REACH)
        found = _respectively(text, start, stop) or _numbered(
            _rows_and_columns(text, start)
            or _in_order(text, start, stop)
            or _views(text, start, stop)
            or _pictures(text, start, stop)
            or _times(text, start, stop)
        )
        if found:
            return found
    return _numbered(_sentence_each(text))


def _sentence_each(text: str) -> list[list[Range]]:
    """ "Chest radiograph showing an infiltrate. CT scan after a week.": sentences that each begin with a picture.

    What follows one, such as an explanation, is on its picture too; notes are on all.
    """
    items: list[Range] = []
    for start, end in islice(sentences(text), MOST_ITEMS + 1):
        if is_note(text[start:end].lstrip()):
            break
        picture = _ONE_PICTURE.match(text, start, end)
        if picture is not None and not _CLAIM.search(picture.group()):
            items.append((start, end))
        elif items:
            items[-1] = (items[-1][0], end)
    return _one_list(items)


def _numbered(lists: Sequence[Sequence[Range]]) -> dict[str, list[Range]]:
    """A panel for each item of one list, or for each pair of items of two, the first list the outer one."""
    if not lists:
        return {}
    panels = [[item] for item in lists[0]]
    for others in lists[1:]:
        panels = [[*panel, item] for panel in panels for item in others]
    if not 2 <= len(panels) <= MOST_PANELS:
        return {}
    return {str(number): sorted(panel) for number, panel in enumerate(panels, start=1)}


def _views(text: str, start: int, end: int) -> list[list[Range]]:
    """ "Axial and sagittal CT images"; another list of views right after it is taken with it."""
    lists: list[list[Range]] = []
    last = start
    for match in _VIEWS.finditer(text, start, end):
        if lists and match.start() - last > 1:
            return []
        if not lists and _MEANS.search(text[max(start, match.start() - 16) : match.start()]):
            return []
        lists.append([one.span() for one in _ONE_VIEW.finditer(text, *match.span())])
        last = match.end()
    if not lists:
        return []
    heads = _VIEWS.match(text, start + len(text[start:end]) - len(text[start:end].lstrip()), end) is not None
    pictures = _OF_PICTURES.match(text, last, end) or (heads and _SHOWING.match(text, last, end))
    return lists if pictures else []


def _pictures(text: str, start: int, end: int) -> list[list[Range]]:
    """ "Chest radiograph and abdominal CT scan of the patient", at the head of a sentence."""
    match = _PICTURES.match(text, start, end)
    if (
        match is None
        or _CLAIM.search(match.group())
        or not (_SHOWING.match(text, match.end(), end) or not text[match.end() : end].strip(" ."))
    ):
        return []
    return [[match.span(group) for group in range(1, 5) if match.group(group) is not None]]


def _times(text: str, start: int, end: int) -> list[list[Range]]:
    """ "Images at 0, 24 and 72 h"; "photographs before and after surgery"."""
    if not _HEADED_BY_PICTURES.match(text, start, end):
        return []
    turns = [
        [match.span(group) for group in (1, "during", 3) if match.span(group) != (-1, -1)]
        for match in _BEFORE_AND_AFTER.finditer(text, start, end)
    ]
    turns += [
        [one.span() for one in _ONE_STAGE.finditer(text, *match.span())]
        for match in _STAGES.finditer(text, start, end)
    ]
    series = list(_TIMES.finditer(text, start, end))
    if len(turns) + len(series) != 1:
        return []
    if turns:
        return turns
    times = list(_ONE_TIME.finditer(text, *series[0].span()))
    shared = any(time.group("unit") is None for time in times)
    numbers = [float(time.group("number")) for time in times]
    if not shared and len({time.group("unit") for time in times}) > 1:
        rising = True  # "30 min, 2 h and 1 day"
    else:
        rising = all(one < other for one, other in pairwise(numbers))
    return [[time.span("number") if shared else time.span() for time in times]] if rising else []


def _in_order(text: str, start: int, end: int) -> list[list[Range]]:
    """ "From left to right: oak, ash and elm"; "oak, ash and elm (left to right)"."""
    match = _ORDERED.search(text, start, end)
    if match is None or _ORDERED.search(text, match.end(), end):
        return []
    behind = re.compile(r"[,:]?\s?(?:(?:are|shows?|is)\s)?(?:the\s)?(?=\w)").match(text, match.end(), end)
    introduced = behind is not None and text[match.end() : behind.end()].strip() != ""
    if behind is not None and introduced:
        return _one_list(_items(text, behind.end(), end))
    if text[match.end() : end].strip(" .;:,)"):
        return []
    before = text[start : match.start()].rstrip(" ,;")
    return _one_list(_trailing_items(text, start, start + len(before)))


def _rows_and_columns(text: str, start: int) -> list[list[Range]]:
    """ "Columns: control and drought; rows: root, stem and leaf", row by row; the two in any order."""
    heads = list(_LINES.finditer(text, start, min(len(text), start + REACH)))
    kinds = [head.group("line").lower()[:3] for head in heads]
    if sorted(kinds) != ["col", "row"]:
        return []
    lists = {}
    for kind, head, until in zip(kinds, heads, [heads[1].start(), len(text)], strict=True):
        stop = re.compile(r"[.;](?=\s|$)").search(text, head.end(), until)
        items = _items(text, head.end(), stop.start() if stop is not None else until)
        if len(items) < 2:
            return []
        lists[kind] = items
    return [lists["row"], lists["col"]]


def _respectively(text: str, start: int, end: int) -> dict[str, list[Range]]:
    """ "Left and right panels show oak and ash, respectively", and the other way round."""
    close = _RESPECTIVELY.search(text, start, end)
    place = _RESPECTIVE.search(text, start, end) if close is not None else None
    if close is None or place is None:
        return {}
    names = [name.lower() for name in place.group("one", "mid", "two") if name is not None]
    names = [_PLACE_NAMES.get(name, name) for name in names]
    if _OPPOSITE.get(names[0]) != names[-1]:
        return {}
    if place.end() < close.start() and place.group("show"):
        items = _items(text, place.end(), close.start())
    elif text[place.end() : close.start() + 1].strip(" ,") == "":
        stop = start + len(text[start : place.start()].rstrip(" (["))
        items = _trailing_items(text, start, stop, len(names))
    else:
        return {}
    if len(items) != len(names):
        return {}
    named = dict(zip(names, items, strict=True))
    return {name: [named[name]] for name in sorted(named, key=_READING.__getitem__)}


def respective_items(text: str, start: int, end: int, count: int) -> list[Range]:
    """The items of "X and Y, respectively", in order, if they are so many; of known views the view only."""
    close = _RESPECTIVELY.search(text, start, end)
    if close is None:
        return []
    start = max(start, text.rfind("; ", start, close.start()) + 2)
    items = _trailing_items(text, start, close.start(), count)
    for place, which in ((0, -1), (-1, 0)) if items else ():
        # What stands before the first view, or after the last, is on all: "Early AP and lateral radiographs".
        views = list(_ONE_VIEW.finditer(text, *items[place]))
        items[place] = views[which].span() if views else items[place]
    return items


def _one_list(items: list[Range]) -> list[list[Range]]:
    return [items] if len(items) >= 2 else []


def _items(text: str, start: int, end: int) -> list[Range]:
    """The items between two places, cut at semicolons, or else at commas and "and"; [] where they are too long."""
    joint = _SEMICOLON if "; " in text[start:end] else _JOINT
    items = []
    for one in (*joint.finditer(text, start, end), None):
        stop = one.start() if one is not None else end
        last = start + len(text[start:stop].rstrip(" .;,:"))
        article = _ARTICLE.match(text, start, last)
        start = article.end() if article is not None else start
        if last > start:
            items.append((start, last))
        start = one.end() if one is not None else end
    short = all(len(text[begin:stop].split()) <= LONGEST_ITEM for begin, stop in items)
    return items if len(items) <= MOST_ITEMS and (short or joint is _SEMICOLON) else []


def _trailing_items(text: str, start: int, end: int, count: int = 0) -> list[Range]:
    """The list that ends at a place: "Photographs of | oak, ash and elm"; count: how many items, 0 for any."""
    shown = _ARE_SHOWN.search(text, max(start, end - SHOWN), end)
    items = _items(text, start, shown.start() if shown is not None else end)
    joints = [list(_PREPOSITION.finditer(text, *item)) for item in items]
    own = max((place for place, found in enumerate(joints) if found), default=-1)
    if 0 <= own < len(items) - 1:
        # The last preposition opens the list; the text before it is on all items.
        items = items[own:]
        items[0] = (joints[own][-1].end(), items[0][1])
    return items if len(items) >= 2 and count in (0, len(items)) else []
