"""What a device can hold, as far as code must know it before it is written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DeviceLimits:
    """Limits that do not depend on sizes known only at run time; the defaults hold on every current GPU.

    ``work_group_size``: work-items of one group; ``max_item_sizes``: along each axis; ``local_bytes`` and
    ``constant_bytes``: memory of one group and of one program.
    """

    work_group_size: int = 1024
    max_item_sizes: tuple[int, int, int] = (1024, 1024, 64)
    local_bytes: int = 48 * 1024
    constant_bytes: int = 64 * 1024
