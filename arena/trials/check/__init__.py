"""`arena check`: one bot tried in every way that a run may try it, and what its author should mend."""
