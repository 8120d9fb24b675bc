"""The box limits what a started bot may see, do and use, and sees to it that none of its processes is left.

`keeper` and what it needs (`guard`, `landlock`, `limits`, `messages`, `processes`) run in their own process
and use only the standard library, so that it starts quickly and stays small.
"""
