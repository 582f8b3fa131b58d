"""Import figures and annotations into a campaign; replace captions and images, and withdraw figures."""
