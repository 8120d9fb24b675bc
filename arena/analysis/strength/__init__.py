"""How strong bots are: ratings, posterior probabilities, and bots that beat each other in circles."""
