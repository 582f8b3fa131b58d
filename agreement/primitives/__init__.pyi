"""The names of `agreement.primitives` for other packages; `__init__.py` reads this file."""

from agreement.primitives.iou import Vector as Vector
from agreement.primitives.iou import box_iou as box_iou
from agreement.primitives.iou import boxes_of as boxes_of
from agreement.primitives.matching import Indices as Indices
from agreement.primitives.rules import MIN_IOU as MIN_IOU
from agreement.primitives.rules import RESAMPLES as RESAMPLES
from agreement.primitives.rules import Common as Common
from agreement.primitives.rules import Mode as Mode
from agreement.primitives.settings import DEFAULTS as DEFAULTS
from agreement.primitives.settings import Settings as Settings
from agreement.primitives.token_f1 import common_tokens as common_tokens
from agreement.primitives.token_sets import Mask as Mask
