"""Training the models on gold."""
