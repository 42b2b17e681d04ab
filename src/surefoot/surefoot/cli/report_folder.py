# SPDX-License-Identifier: Apache-2.0
"""The folder of a demo: what an earlier demo left in it is replaced, and nothing else is touched."""

import re
from collections.abc import Iterable
from pathlib import Path

from surefoot.errors import ConfigurationError
from surefoot.evaluation import run as runs
from surefoot.evaluation import story as stories
from surefoot.evaluation import summary as summaries
from surefoot.viewer import plots
from surefoot.viewer.film import GIF, MP4, STILL

REPORT = frozenset((summaries.FILE_NAME, plots.FILE_NAME, MP4, GIF, STILL))
RUN = frozenset((runs.FILE_NAME, stories.FILE_NAME))
DECISION = re.compile(r"decision_\d+\.\d{3}_.+\.json")
"""Names of the records that `particle_trace` writes."""


def clear_report(report: Path, run_directory: Path, labels: Iterable[str]) -> tuple[Path, ...]:
    """Make the folders of a report, and remove from them what an earlier demo wrote.

    Args:
        report: folder of the report.
        run_directory: folder of the run in it.
        labels: of the processes, each of which keeps a log.

    Returns:
        Files that are left there, since no demo wrote them.

    Raises:
        ConfigurationError: it is no folder; or no demo wrote in it yet, and it has files whose names this one needs. Nothing is removed.
    """
    try:
        run_directory.mkdir(parents=True, exist_ok=True)
        there = [path for folder in (report, run_directory) for path in sorted(folder.iterdir()) if not path.is_dir()]
    except OSError as error:
        raise ConfigurationError(f"{run_directory} cannot be the folder of a run: {error.strerror}; name another: --report") from error
    logs = {f"{label}.log" for label in labels}
    in_run, in_report = RUN | logs, REPORT
    ours = [
        path for path in there if path.name in (in_run if path.parent == run_directory else in_report) or DECISION.fullmatch(path.name)
    ]
    # A picture called overview.png may be anybody's; a run beside it is a demo's.
    if ours and not any(path.parent == run_directory and path.name in in_run for path in there):
        names = ", ".join(path.name for path in ours)
        raise ConfigurationError(f"{report} has {names}, which no demo wrote and this one would replace; name another folder: --report")
    for path in ours:
        path.unlink()
    return tuple(path for path in there if path not in ours)
