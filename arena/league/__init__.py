"""What a league is: a ladder that always runs; who takes part, what they handed in, who may do what."""
