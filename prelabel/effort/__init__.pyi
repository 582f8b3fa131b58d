"""The names of `prelabel.effort` for other packages; `__init__.py` reads this file."""

from prelabel.effort.editing import KEEP as KEEP
from prelabel.effort.editing import OPERATORS as OPERATORS
from prelabel.effort.editing import Operators as Operators
from prelabel.effort.editing import read_operators as read_operators
from prelabel.effort.measuring import Effort as Effort
from prelabel.effort.measuring import Pair as Pair
from prelabel.effort.measuring import effort as effort
from prelabel.effort.report import COLUMNS as COLUMNS
from prelabel.effort.report import effort_record as effort_record
from prelabel.effort.report import effort_text as effort_text
from prelabel.effort.report import figure_rows as figure_rows
