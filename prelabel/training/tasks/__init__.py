"""The kinds of models to train: their examples, losses and scores on the validation split."""
