"""Figures and annotations into a campaign, and replacing captions and images."""
