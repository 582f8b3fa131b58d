"""The names of `prelabel.matchers` for other packages; `__init__.py` reads this file."""

from prelabel.matchers.matcher import Text as Text
from prelabel.matchers.matcher import check_matcher as check_matcher
from prelabel.matchers.matcher import matcher_of as matcher_of
from prelabel.matchers.matcher import score_matrix as score_matrix
