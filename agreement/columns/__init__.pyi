"""The names of `agreement.columns` for other packages; `__init__.py` reads this file."""

from agreement.columns.corpus import Column as Column
from agreement.columns.corpus import Corpus as Corpus
from agreement.columns.corpus import numbered as numbered
from agreement.columns.corpus import split_superseded as split_superseded
from agreement.columns.people import Passed as Passed
from agreement.columns.raw import RawAnnotation as RawAnnotation
from agreement.columns.raw import Submitted as Submitted
from agreement.columns.row_traits import attention_on as attention_on
from agreement.columns.row_traits import traits_of as traits_of
from agreement.columns.scored import ScoredAnnotation as ScoredAnnotation
