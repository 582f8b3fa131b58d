"""The names of `agreement.trends` for other packages; `__init__.py` reads this file."""

from agreement.trends.corrected import History as History
from agreement.trends.drift import Grouping as Grouping
