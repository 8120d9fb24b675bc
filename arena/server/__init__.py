"""One process in which bots and people meet: tables of all games, over HTTP, WebSocket and TCP."""
