"""The process that plays a league: bots that come and go, batch by batch, in an ordinary results folder."""
