"""The players at a table, with a module for each way in which they are reached."""
