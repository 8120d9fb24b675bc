"""The pages of the server, and those who look at a table in a browser."""
