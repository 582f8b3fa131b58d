"""Processes, sockets, batches and atomic writes: how programs run, whatever they are for."""
