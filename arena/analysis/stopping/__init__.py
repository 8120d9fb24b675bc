"""When enough is known: rules that end a tournament or a comparison before its schedule does."""
