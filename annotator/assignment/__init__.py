"""Who does which figure, and until when."""
