"""A new bot's folder: a template for each language, and a recorded match for its test.

It imports little, because completion with the Tab key asks for the languages.  `arena.starter.folder` writes.
"""

from arena.starter.languages import LANGUAGES, Language, find_language

__all__ = ["LANGUAGES", "Language", "find_language"]
