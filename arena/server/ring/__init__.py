"""Ring tables, where a match is one hand, and the poker document that is spoken there."""
