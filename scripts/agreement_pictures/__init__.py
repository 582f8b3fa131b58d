"""The pictures of docs/explanation, drawn from worked examples that the project's own functions compute."""
