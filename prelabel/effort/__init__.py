"""How much editing work predictions leave to people."""
