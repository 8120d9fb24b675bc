"""What a match is: the contract of a game, what a seat may do, clocks, points, rulings, and its record."""
