"""Times of the sample library: all of them a while before now, so that its ages look alive."""

from __future__ import annotations

from datetime import datetime, timedelta

from core.adapters.sample_data import SampleFolder


class SampleTimes:
    """Turns the floors and the "days ago" of the data into moments before `now`."""

    def __init__(self, now: datetime, folder: SampleFolder) -> None:
        self._now = now
        self._floors = [self._sent(folder, floor) for floor in range(len(folder.floors))]

    def days_ago(self, days: float) -> datetime:
        """A moment so many days before now."""
        return self._now - timedelta(days=days)

    def floor(self, seq: int) -> datetime:
        """When that chat line was sent. Errors: IndexError beyond the chat."""
        if seq < 0:
            raise IndexError(seq)
        return self._floors[seq]

    def in_minutes(self, minutes: float) -> datetime:
        """A moment so many minutes from now (negative: before)."""
        return self._now + timedelta(minutes=minutes)

    def used(self, days: float, *, not_before: datetime) -> datetime:
        """When a memory was last recalled: never before it was written."""
        return max(self.days_ago(days), not_before)

    def _sent(self, folder: SampleFolder, seq: int) -> datetime:
        floor = folder.floors[seq]
        hour, minute = floor.clock
        scene = self.days_ago(floor.days_ago).replace(hour=hour, minute=minute, second=0, microsecond=0)
        return scene + timedelta(minutes=folder.minutes_between_floors * floor.place)
