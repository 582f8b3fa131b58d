"""Text of a caption that belongs to no single panel: title, methods, closing notes, and running text."""

from __future__ import annotations

from panelwise_simulator.captions.phrases.tables import read_table, read_words

_LISTS = read_words(read_table("frames"))

TITLES = _LISTS["titles"]
CLINICAL_TITLES = _LISTS["clinical_titles"]
METHODS = _LISTS["methods"]
CLINICAL_METHODS = _LISTS["clinical_methods"]
SCALE_BARS = _LISTS["scale_bars"]
STATISTICS = _LISTS["statistics"]
CLOSINGS = _LISTS["closings"]
IMAGE_NOTES = _LISTS["image_notes"]
#: Ends of a sentence on several panels.
SHARED_TAILS = _LISTS["shared_tails"]
#: Sentences on several panels; at times what a range begins with.
SHARED_NOTES = _LISTS["shared_notes"]
#: A finding as a sentence: `$finding`, and `$was` to agree with it.
OBSERVATIONS = _LISTS["observations"]
#: Sentences on one panel, whatever it shows.
PANEL_NOTES = _LISTS["panel_notes"]
#: What a range of markers begins with, before each panel is named; `$noun` says what they are.
RANGE_HEADS = _LISTS["range_heads"]
DATA_INFORMATION = _LISTS["data_information"]
#: Notes on statistics or scale of some panels, `$list` being their markers: of no panel (see the gold protocol).
LISTED_STATISTICS = _LISTS["listed_statistics"]
LISTED_SCALES = _LISTS["listed_scales"]
#: Sentences on what some panels show, `$list` being their markers: on pictures, on plots, on any.
LISTED_PICTURES = _LISTS["listed_pictures"]
LISTED_PLOTS = _LISTS["listed_plots"]
LISTED_CONTENT = _LISTS["listed_content"]
#: Sentences of the running text: `$np` for a panel's noun, `$is`, `$shows` and `$figure` to match.
REFERENCES = _LISTS["references"]
PAIRED_REFERENCES = _LISTS["paired_references"]
FIGURE_REFERENCES = _LISTS["figure_references"]
