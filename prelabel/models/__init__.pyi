"""The names of `prelabel.models` for other packages; `__init__.py` reads this file."""

from prelabel.models.bert_score import BertScore as BertScore
from prelabel.models.checkpoints import ENCODER as ENCODER
from prelabel.models.checkpoints import WEIGHTS as WEIGHTS
from prelabel.models.checkpoints import About as About
from prelabel.models.checkpoints import find_checkpoint as find_checkpoint
from prelabel.models.checkpoints import load_weights as load_weights
from prelabel.models.checkpoints import read_about as read_about
from prelabel.models.classifier import Kinds as Kinds
from prelabel.models.classifier import TrainedClassifier as TrainedClassifier
from prelabel.models.devices import choose_device as choose_device
from prelabel.models.hub import NotFetched as NotFetched
from prelabel.models.hub import refuse_absent as refuse_absent
from prelabel.models.protocols import THRESHOLD as THRESHOLD
