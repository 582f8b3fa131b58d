"""Kinds of annotation as their parts are sent, shown, put in words and merged."""
