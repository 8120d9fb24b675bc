"""What people see in a terminal: tables, the progress of a run, leaderboards, a match retold."""
