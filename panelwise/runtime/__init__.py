"""Processes, sockets, batches and atomic writes."""
