"""The levels of confinement, and the means by which boxes are made."""

from __future__ import annotations

from typing import Literal, TypeAlias

Level: TypeAlias = Literal["shield", "strict", "off"]
LEVELS: tuple[Level, ...] = ("shield", "strict", "off")
Means: TypeAlias = Literal["bubblewrap", "landlock", "limits"]
