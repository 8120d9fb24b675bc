"""Who sits at the table, however it is reached: one module for each way."""
