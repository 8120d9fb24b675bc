"""What outlives the process: tables, their matches, the archive, and results folders with their reports."""
