"""When the refresh runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from store.errors import usage
from wherein.workspace import Workspace

if TYPE_CHECKING:
    from prefect.client.schemas.schedules import CronSchedule

SLUG = "refresh"


def zone_name(workspace: Workspace) -> str:
    """The IANA name of the zone that the schedule is read in: that of the settings, else the machine's own."""
    named = workspace.settings.workspace.timezone
    if named != "local":
        return named
    import tzlocal

    return tzlocal.get_localzone_name() or _fixed(datetime.now().astimezone().utcoffset() or timedelta())


def _fixed(offset: timedelta) -> str:
    """A zone of whole hours that never changes; its names count westward."""
    hours = round(offset.total_seconds() / 3600)
    return f"Etc/GMT{-hours:+d}" if hours else "UTC"


def cron(workspace: Workspace) -> CronSchedule:
    """The schedule of the settings; raises WhereinError (exit 2) if it is none."""
    from prefect.client.schemas.schedules import CronSchedule
    from pydantic import ValidationError

    text = workspace.settings.prefect.schedule
    try:
        return CronSchedule(cron=text, timezone=zone_name(workspace))
    except ValidationError:
        raise usage(
            f"Setting prefect.schedule = {text!r} is not a cron line: give five fields, such as '0 7 * * *'"
            " for every day at seven."
        ) from None


async def first_after(schedule: CronSchedule, moment: datetime) -> datetime:
    """The first tick after a moment, in the schedule's zone."""
    from zoneinfo import ZoneInfo

    from prefect.server.schemas.schedules import CronSchedule as Ticks

    ticks = Ticks(cron=schedule.cron, timezone=schedule.timezone, day_or=schedule.day_or)
    found = await ticks.get_dates(n=1, start=moment + timedelta(microseconds=1))
    return found[0].astimezone(ZoneInfo(schedule.timezone or "UTC"))


async def overdue(workspace: Workspace, schedule: CronSchedule) -> bool:
    """Whether a tick has passed since the collection that was refreshed least recently."""
    from wherein.pipelines.status import status

    times = [entry.refreshed_at for entry in status(workspace).collections]
    if None in times:
        return True
    oldest = min(datetime.fromisoformat(time) for time in times if time is not None)
    return await first_after(schedule, oldest) <= datetime.now(UTC)


def told(moment: datetime) -> str:
    """`2026-03-01 07:00 +01:00 (Europe/Berlin)`"""
    return f"{moment.isoformat(sep=' ', timespec='minutes')[:16]} {moment.isoformat()[-6:]} ({moment.tzinfo})"
