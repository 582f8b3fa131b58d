"""The names of `agreement.pairs` for other packages; `__init__.py` reads this file."""

from agreement.pairs.figure_scores import FigureMean as FigureMean
from agreement.pairs.figure_scores import figure_means as figure_means
from agreement.pairs.figure_scores import worst_first as worst_first
from agreement.pairs.pairwise import PairScore as PairScore
from agreement.pairs.pairwise import compare as compare
from agreement.pairs.pairwise import detailed as detailed
from agreement.pairs.pairwise import figure_agreement as figure_agreement
from agreement.pairs.pairwise import latest as latest
from agreement.pairs.pairwise import pair_scores as pair_scores
from agreement.pairs.pairwise import pooled_losses as pooled_losses
from agreement.pairs.parts import articles_of as articles_of
