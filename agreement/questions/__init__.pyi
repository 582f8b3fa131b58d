"""The names of `agreement.questions` for other packages; `__init__.py` reads this file."""

from agreement.questions.answer_texts import NO_OVERLAP as NO_OVERLAP
from agreement.questions.answer_texts import Overlap as Overlap
from agreement.questions.answer_texts import normalised as normalised
from agreement.questions.items import ItemReport as ItemReport
from agreement.questions.items import item_report as item_report
from agreement.questions.judgements import PairKappa as PairKappa
from agreement.questions.systems import Similarity as Similarity
from agreement.questions.systems import SystemComparison as SystemComparison
from agreement.questions.systems import compare_answers as compare_answers
