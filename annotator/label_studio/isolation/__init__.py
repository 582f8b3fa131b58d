"""Isolate annotators in the Label Studio that we start: which calls each account may make."""
