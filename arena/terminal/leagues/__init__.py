"""What a terminal says to a server's leagues, and shows of them."""
