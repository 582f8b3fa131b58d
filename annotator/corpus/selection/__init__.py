"""Selection of a corpus's figures: by text, licence and other datasets, or drawn at random."""
