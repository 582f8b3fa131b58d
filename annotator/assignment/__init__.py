"""Assignment of figures to annotators, with batches and deadlines."""
