"""Before play: bots that connect get their places, and bots that are started are built and tried."""
