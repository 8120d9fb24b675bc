"""What people see in a terminal: runs, leaderboards and matches, and a table at which they play."""
