"""What each kind of model learns, and how it is scored on the validation split."""
