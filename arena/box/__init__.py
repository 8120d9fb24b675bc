"""The box: what a started bot may see and do, how much it may use, and that none of its processes is left.

`keeper` and what it needs (`guard`, `landlock`, `limits`, `messages`, `processes`) run in their own process
and use only the standard library, so that it starts quickly and stays small.
"""
