"""What the screens read and write as JSON, and addresses for machines."""
