"""A language model, asked by an OpenAI-compatible address, that reads captions into the text of panels."""
