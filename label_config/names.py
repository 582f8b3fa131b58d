"""Names that the labelling configs and the payloads share. A config is only readable by what knows these."""

#: The image, and the rectangles drawn on it.
FIGURE = "figure"
SUBFIGURE = "subfig"
#: The caption, and the spans marked in it.
CAPTION = "caption"
SUBCAPTION = "subcap"
#: What the annotator makes of the figure as a whole, and its choices.
STATUS = "status"
STATUS_ACCEPT = "Good figure"
STATUS_REJECT = "Reject figure"
#: What the article says of the figure.
REFERENCES = "references"

#: Keys of a task's data.
DATA_IMAGE = "image"
DATA_CAPTION = "caption"
DATA_REFERENCES = "references"
DATA_TITLE = "title"
DATA_SOURCE = "source_id"
#: The model whose prediction the task was seeded with, "" for none. Not shown to annotators.
DATA_SEED = "model_version"

#: What every prediction bears as its version on the server: a project shows those of one version only, and the
#: figures of one batch may be pre-labelled by another model than the next. The true one is in the task's data.
SHOWN_VERSION = "prelabels"
