"""Leagues over HTTP: their owners, hand-ins and hosts, and the process that plays them."""
