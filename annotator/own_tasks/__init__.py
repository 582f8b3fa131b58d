"""Annotators do the tasks of a phase on Panelwise's own screen: each theirs, and nobody else's."""
