"""The names of `prelabel.captions` for other packages; `__init__.py` reads this file."""

from prelabel.captions.parser import ParsedCaption as ParsedCaption
from prelabel.captions.parser import parse_caption as parse_caption
