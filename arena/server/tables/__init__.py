"""Tables: who sits there, what they may do and see, the match that is played, and its HTTP interface."""
