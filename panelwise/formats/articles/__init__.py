"""Scientific articles, JATS XML and S2ORC JSON: their figures, and the sentences that cite them."""
