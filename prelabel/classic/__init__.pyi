"""The names of `prelabel.classic` for other packages; `__init__.py` reads this file."""

from prelabel.classic.prelabeller import CLASSIC as CLASSIC
from prelabel.classic.prelabeller import open_classic as open_classic
