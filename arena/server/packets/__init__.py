"""The document that describes packets: clients, what they ask and what they are told."""
