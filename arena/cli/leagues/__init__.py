"""The commands of leagues."""
