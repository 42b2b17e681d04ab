# SPDX-License-Identifier: Apache-2.0
"""Bus files with the signs and offsets that were found: at every moment there is a whole one under the name, old or new."""

import os
import shutil
from pathlib import Path

import yaml

from surefoot.errors import ConfigurationError
from surefoot.robot.locate import shared_directory
from surefoot.robot.model import RobotModel
from surefoot.servos.dynamixel.members import Members
from surefoot.servos.dynamixel.settings import DynamixelSettings
from surefoot.settings import check_settings, read_yaml

HEADER = "# Signs and offsets were found by surefoot servos calibrate."


def target_of(file: Path, output: Path | None) -> Path:
    """Where to write what is found; to be asked before a person works for it.

    Args:
        file: the bus file that it is found for.
        output: that was asked for; None: the same file.

    Raises:
        ConfigurationError: the file is one of those that come with Surefoot, or its folder cannot be written to.
    """
    if output is None and file.resolve().parent == (shared_directory() / "config" / "buses").resolve():
        raise ConfigurationError(f"{file} comes with Surefoot and stays as it is; name a file of your own: --output my_{file.name}")
    target = (output or file).expanduser().resolve()
    if target.is_dir():
        raise ConfigurationError(f"{target} is a folder; name the file in it: --output {target / file.name}")
    if not (target.parent.is_dir() and os.access(target.parent, os.W_OK | os.X_OK)):
        raise ConfigurationError(f"{target} cannot be written: {target.parent} is no folder that you may write to; name another: --output")
    return target


def write_calibrated(file: Path, target: Path, found: dict[str, tuple[int, float]], model: RobotModel) -> Path | None:
    """Write a bus file with other signs and offsets; where there was one, it is kept beside it.

    Args:
        file: that everything else is taken from.
        target: to write.
        found: sign and offset by joint.
        model: the robot, whose limits the servos have to reach.

    Returns:
        Where the old file is now; None where there was none.

    Raises:
        ConfigurationError: with these numbers a servo cannot reach the limits of its joint, or the disk refuses; the old file stays.
    """
    values = read_yaml(file)
    for name, (sign, offset) in found.items():
        values["joints"][name] |= {"sign": sign, "offset": round(offset, 5)}
    settings = check_settings(DynamixelSettings, values, str(target))
    Members(settings, model.joint_names, model.effort_limit).check_range(model.position_lower, model.position_upper)
    target, text = target.resolve(), f"{HEADER}\n{yaml.safe_dump(values, sort_keys=False)}"
    try:
        return _replace(target, text)
    except OSError as error:
        raise ConfigurationError(f"{target} cannot be written: {error.strerror}; it is as it was") from error


def _replace(target: Path, text: str) -> Path | None:
    """Put a text in the place of a file, which is kept under the next free number; raises OSError with the file still there."""
    new, kept = target.with_name(f"{target.name}.new"), None
    try:
        with new.open("w") as file:
            file.write(text)
            file.flush()
            # Else a loss of power may leave the name with nothing behind it.
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, new)
            kept = next(path for number in range(1, 1000) if not (path := target.with_name(f"{target.name}.{number}")).exists())
            _copy(target, kept)
        new.replace(target)
    except OSError:
        new.unlink(missing_ok=True)
        raise
    return kept


def _copy(source: Path, target: Path) -> None:
    try:
        shutil.copy2(source, target)
    except OSError:
        target.unlink(missing_ok=True)
        raise
