"""The words of pages for options, commands and settings that messages name and pages have forms for."""

from __future__ import annotations

import re

#: What a message says, as a regular expression, and what a page says in its place.
_SAID = tuple(
    (re.compile(pattern), page)
    for pattern, page in (
        (
            r"choose some \(--annotators a,b,c\) or name them in campaign\.toml",
            "choose some, or name them in the settings",
        ),
        (r"; name (others|somebody who works here|who takes over) with --to\b", r"; choose \1"),
        (r"assign figures with --annotators first", "assign figures to them first"),
        (r"[;,] (?:run |see )`?annotator status`?", ""),
        (r"pre-label the figures first: prelabel run\b", "pre-label the figures first"),
        (r"assign that first: annotator assign --phase \S+", "assign that phase first"),
        (
            r"already: annotator assign --phase .+? --overlap (\d+)",
            r'already, plan again with \1 under "Figures that several annotators do"',
        ),
        (
            r"campaign\.toml: (has no phase .+?); add a table \[\[phases\]\], or (choose .+?) with --phase",
            r"\1; \2, or add it under Settings",
        ),
        (
            r"campaign\.toml: \[release\] has no (.+?); add them and release again",
            r"the dataset has no \1; fill in what is missing under Release the gold, and release again",
        ),
        (
            r"\(see figure_licence and image_licences in campaign\.toml\)",
            "(state the licence of all figures under Release the gold)",
        ),
        (
            r"; import them again with --revise and --document, or a column document",
            "; import them again with their article and Replace, on the page Figures",
        ),
        (
            r"import (them|it|the figures) again with (its image|their images) and --revise",
            r"import \1 again with \2 and Replace, on the page Figures",
        ),
        (
            r"adjudicate them with `annotator serve`, or add --include single",
            "adjudicate them, or include unreviewed work",
        ),
        (r"adjudicate them with `annotator serve`", "adjudicate them in the queue"),
        (r"add (?:them with )?--include single", "include unreviewed work"),
        (
            r"; import the pairs again with their figures \(--qa FILE --revise\)",
            "; import the pairs again with their figures and Replace, on the page Figures",
        ),
        (r"put it there, or name its folder with --images", "add it to the upload"),
        (
            r"import these with `annotator import figures --qa`",
            "import these with their figures, on the page Figures",
        ),
        (r"; see `annotator user list`", "; choose one of the list"),
        (r"enable it with `annotator user enable`", "enable it first"),
        (r"change it with `annotator user password` or `annotator user roles`", "change it in the list"),
        (
            r"or allow that with --allow-urls or allow_urls under \[images\]",
            "or allow that with allow_urls under [images]",
        ),
        (r"; add it, or use --placeholders or --no-images", "; add it to the upload"),
        (r"; name it with --phase\b", "; add the phase under Settings"),
        (
            r"; name the annotator with --annotator, or set this e-mail for a person",
            "; set this e-mail for a person",
        ),
        (r"; name the annotator with --annotator\b", "; set the e-mails of people under People"),
        (r"; add them with --revision all\b", ""),
        (
            r"; export types and pairs with `annotator export types` and `annotator export qa`",
            "; export types and qa for these",
        ),
        (r"`annotator export figures` writes them", "the export of figures has them"),
        (r"; pull them, or adjudicate without them", "; wait for these, or adjudicate without them"),
        (
            r"run annotator user email .+? ADDRESS, then annotator push",
            "set it under People, then push the tasks again",
        ),
        (r"make it writable, then run annotator pull", "make it writable, then pull annotations again"),
        (r"([;:]) run annotator push\b", r"\1 push the tasks again, under Jobs"),
        (r"; run annotator assign\b[^;\n]*", "; assign figures under Assignment"),
        (r"; run annotator serve\b|: annotator serve\b", ""),
        (r"import them with annotator import figures --qa", "import them with their figures, on the page Figures"),
        (r", or name its layout with --from\b", ""),
        (
            r"learn from single work too with --include single",
            "include unreviewed work in the gold, under Settings",
        ),
        (r"note: without --secret, a restored campaign", "note: a campaign that is restored from this file"),
        (r"give --device cpu, or auto", "choose the device cpu, or auto"),
        (
            r"give a file of them with --start, or begin with --random-weights",
            "begin from random weights, or let the server reach them",
        ),
        (r"\bin campaign\.toml\b", "in the settings"),
    )
)


def in_page_words(message: str) -> str:
    """Return a message, or a log of them, with the names of forms in place of options and commands."""
    for pattern, page in _SAID:
        message = pattern.sub(page, message)
    return message
