"""Before play: gives places to bots that connect, and builds and tries the bots that are started."""
