"""The wire: its automaton, its messages, and whether PROTOCOL.md says what the arena says."""
