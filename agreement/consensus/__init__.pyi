"""The names of `agreement.consensus` for other packages; `__init__.py` reads this file."""

from agreement.consensus.candidates import Candidate as Candidate
from agreement.consensus.candidates import merge_candidates as merge_candidates
from agreement.consensus.figures import FigureConsensus as FigureConsensus
from agreement.consensus.figures import NoConsensus as NoConsensus
from agreement.consensus.figures import figure_consensus as figure_consensus
from agreement.consensus.layout import CONSENSUS_PHASE as CONSENSUS_PHASE
from agreement.consensus.layout import consensus_prediction as consensus_prediction
from agreement.consensus.layout import consensus_record as consensus_record
