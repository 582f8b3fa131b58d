"""The names of `prelabel.panels` for other packages; `__init__.py` reads this file."""

from prelabel.panels.letters.ocr import ocr_installed as ocr_installed
