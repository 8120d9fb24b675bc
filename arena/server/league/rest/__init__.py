"""What is asked of leagues over REST."""
