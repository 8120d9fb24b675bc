"""What people read when something is wrong: every sentence once, in `sentences.txt`.

The cases are Python: a name, what is typed or done, and what the sentence must name, however it is put.  Other tests
look at the exit code, that name and the way out.  A change of words is accepted in a commit of its own:

    python -m tests.sentences            says which sentences are not as the file has them
    python -m tests.sentences --write    writes the file, and says which changed
"""
