"""The arena on machines that lack something: with and without bubblewrap and Landlock, as root and as another user."""
