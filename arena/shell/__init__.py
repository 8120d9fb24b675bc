"""A table of a server in a terminal: a person who plays there, or somebody who watches."""
