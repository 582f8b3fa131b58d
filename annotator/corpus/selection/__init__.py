"""Which figures of a corpus to annotate: by text, licence and other datasets, or drawn at random."""
