"""The box: what a started bot may see and do, how much it may use, and that nothing of it is left.

`keeper` and what it needs (`guard`, `landlock`, `limits`, `messages`, `processes`) run in a process of their
own and use the standard library alone, so that it starts quickly and stays small.
"""
