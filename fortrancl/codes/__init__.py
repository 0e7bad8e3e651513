"""The one table of diagnostic codes: `fortrancl explain`, the docs and the tests all read it.

Each room's codes stand in the file of its stage; a code is never reused for something else.
"""

from __future__ import annotations

from fortrancl.codes.device import DEVICE_CODES
from fortrancl.codes.entry import CodeEntry
from fortrancl.codes.frontend import FRONTEND_CODES
from fortrancl.codes.host import HOST_CODES
from fortrancl.codes.internal import INTERNAL_CODES
from fortrancl.codes.legality import LEGALITY_CODES
from fortrancl.codes.notes import NOTE_CODES
from fortrancl.codes.schedule import SCHEDULE_CODES
from fortrancl.codes.script import SCRIPT_CODES
from fortrancl.codes.transform import TRANSFORM_CODES
from fortrancl.codes.vocabulary import VOCABULARY_CODES

CODES: dict[str, CodeEntry] = {
    entry.code: entry
    for table in (
        NOTE_CODES,
        FRONTEND_CODES,
        SCRIPT_CODES,
        TRANSFORM_CODES,
        VOCABULARY_CODES,
        LEGALITY_CODES,
        SCHEDULE_CODES,
        DEVICE_CODES,
        HOST_CODES,
        INTERNAL_CODES,
    )
    for entry in table
}
"""Every code the compiler can print, in the order of the stages."""

__all__ = ["CODES", "CodeEntry"]
