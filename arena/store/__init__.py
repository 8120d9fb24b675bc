"""What is kept of a tournament: one SQLite file of matches, and CSV tables made from it.

A results folder holds `arena.db`, the truth, and CSVs, which are exports: they can
always be made again.  One process writes (`store_lock`) while any number read (WAL).
A match is one transaction, so a killed run has a match whole or not at all.
Nothing here depends on the order in which matches came in.
"""

from arena.store.choosing import ALL_MATCHES, MatchFilter
from arena.store.epoch import StoredEpoch
from arena.store.files import (
    DATABASE,
    LATEST,
    LOCK,
    RESULTS,
    TABLE_FILES,
    Table,
    erase,
    is_written,
    results_beside,
    write_tables,
    write_text,
)
from arena.store.locks import is_held, store_lock
from arena.store.mending import mended
from arena.store.rows import (
    Columns,
    FaultCount,
    FinishedMatch,
    SeriesState,
    StoredBot,
    StoredMatch,
    StoredSeat,
)
from arena.store.schema import OPPONENTS_SEPARATOR, SCHEMA_VERSION, SEAT_BITS, TABLES, Column, Row, as_columns
from arena.store.soundness import Damage
from arena.store.store import NotOurs, Store, holds_tournament
