"""Assignment of a caption's words to panels, without a model."""
