"""Agreement on figure types, question-answer pairs and answers."""
