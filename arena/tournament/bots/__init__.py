"""The bots of a plan: found, granted what they may have, built and tried; also those that cannot play."""
