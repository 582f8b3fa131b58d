"""The names of `agreement.models` for other packages; `__init__.py` reads this file."""

from agreement.models.average_precision import AveragePrecision as AveragePrecision
from agreement.models.ceiling import Ceiling as Ceiling
from agreement.models.ceiling import human_ceiling as human_ceiling
from agreement.models.comparison import MAX_CURVE_FIGURES as MAX_CURVE_FIGURES
from agreement.models.comparison import Comparison as Comparison
