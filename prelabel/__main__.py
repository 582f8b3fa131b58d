"""`python -m prelabel`: the command of that name, whose code is in the application."""

from importlib.metadata import entry_points

if __name__ == "__main__":
    (command,) = entry_points(group="console_scripts", name="prelabel")
    command.load()()
