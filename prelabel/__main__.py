"""`python -m prelabel`: the command of that name."""

from prelabel.cli import main

if __name__ == "__main__":
    main()
