"""Names that the labelling configs and the payloads share."""

import re

#: The image, and the rectangles drawn on it.
FIGURE = "figure"
SUBFIGURE = "subfig"
#: The caption, and the spans marked in it.
CAPTION = "caption"
SUBCAPTION = "subcap"
#: Status of the figure as a whole, and its choices.
STATUS = "status"
STATUS_ACCEPT = "Good figure"
STATUS_REJECT = "Reject figure"
#: The article's mentions of the figure.
REFERENCES = "references"

#: Figure types: whether the figure is compound, of how many subfigures, of what types; and notes on the figure.
COMPOUND = "compound"
COMPOUND_YES = "Compound"
COMPOUND_NO = "Non-compound"
COUNT = "count"
TYPES = "types"
OTHER_TYPES = "other_types"
NOTES = "notes"

#: Question-answer pairs, a block of the screen each; what belongs to one is called by these names and the block's
#: number (see `numbered`). In QA validation the verdict and the fields to edit; OPTIONS has one a line.
BLOCKS = 7
VERDICT = "verdict"
KIND = "kind"
QUESTION = "question"
OPTIONS = "options"
ANSWER = "answer"
NOTE = "note"
VERDICT_CORRECT = "Correct"
VERDICT_EDIT = "Incorrect.Edit"
#: The type of a pair that is impossible for the figure.
KIND_IMPOSSIBLE = "None (impossible on this figure)"
#: In human evaluation: the options picked, the answer written, and what is ticked instead of one.
PICKED = "picked"
WRITTEN = "written"
INSTEAD = "instead"
INSTEAD_UNANSWERABLE = "Not possible to answer from the data"
INSTEAD_UNKNOWN = "I don't know"

#: Keys of a task's data.
DATA_IMAGE = "image"
DATA_CAPTION = "caption"
DATA_REFERENCES = "references"
DATA_TITLE = "title"
DATA_SOURCE = "source_id"
#: The labels that the caption names; the screen offers them first.
DATA_LABELS = "labels"
#: The model whose prediction the task was seeded with, "" for none. Not shown to annotators.
DATA_SEED = "model_version"

#: The instance_id of a block's pair, "" for a block without one. A pair's texts are under KIND, QUESTION, OPTIONS
#: and ANSWER (in human evaluation: no answer, and OPTIONS a list of choices).
DATA_PAIR = "pair"

#: The version of every prediction on the server: a project shows those of one version only, and the
#: figures of one batch may be pre-labelled by another model than the next. The true one is in the task's data.
SHOWN_VERSION = "prelabels"

#: The mark of each region of a prediction made when its task was opened (`prelabel serve`): the model's
#: version, which the task's data cannot know of.
REGION_MODEL = "panelwise_model"

_WITH_REVISION = re.compile(r"(?s)(.+)@([1-9][0-9]{0,8})")


def numbered(name: str, block: int) -> str:
    """Return the name of a block's control or data key. block: from 1."""
    return f"{name}{block}"


def task_source(figure_id: str, revision: int) -> str:
    """Return the DATA_SOURCE of a task: "f1", or "f1@2" from the figure's second revision on.

    An id that itself ends in "@" and a number always gets its revision: "f@2" in its first revision is "f@2@1".
    """
    plain = revision == 1 and _WITH_REVISION.fullmatch(figure_id) is None
    return figure_id if plain else f"{figure_id}@{revision}"


def figure_of_source(source: str) -> tuple[str, int]:
    """Return figure id and revision of a task's DATA_SOURCE; the inverse of `task_source`."""
    found = _WITH_REVISION.fullmatch(source)
    return (found[1], int(found[2])) if found is not None else (source, 1)
