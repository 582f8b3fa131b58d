"""The names of `prelabel.joint` for other packages; `__init__.py` reads this file."""

from prelabel.joint.prelabeller import JointPrelabeller as JointPrelabeller
from prelabel.joint.prelabeller import Seer as Seer
