"""The figures and charts of the demo campaigns, and the data files made of them."""
