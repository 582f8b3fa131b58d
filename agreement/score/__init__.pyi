"""The names of `agreement.score` for other packages; `__init__.py` reads this file."""

from agreement.score.detection import Detection as Detection
from agreement.score.detection import detect_subfigures as detect_subfigures
from agreement.score.detection import paired as paired
from agreement.score.detection import together as together
from agreement.score.losses import BACKGROUND_IOU as BACKGROUND_IOU
from agreement.score.losses import CAUSES as CAUSES
from agreement.score.losses import Loss as Loss
