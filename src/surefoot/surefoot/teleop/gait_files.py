# SPDX-License-Identifier: Apache-2.0
"""Gaits that a person keeps: a file for each set in a folder of the person, which `gait.library.read_gaits` reads."""

import os
from pathlib import Path
from typing import Any

import yaml

from surefoot.errors import ConfigurationError
from surefoot.gait.library import STAND, GaitLibrary, read_gaits
from surefoot.gait.parameters import Gait


def user_file(folder: str, gait_set: str) -> Path:
    """Where the gaits that a person keeps for a set, a name or a path, lie; `~` is the home of that person."""
    return Path(folder).expanduser() / f"{Path(gait_set).stem}.yaml"


def own_gaits(library: GaitLibrary, file: Path) -> dict[str, Gait]:
    """The gaits that a person keeps by name, without those of the library.

    Raises:
        ConfigurationError: the file is there, but is no set of gaits.
    """
    if not file.is_file():
        return {}
    kept = read_gaits(file)
    return {name: kept[name] for name in kept.names if name not in library}


def save_gait(gait: Gait, library: GaitLibrary, file: Path) -> None:
    """Write a gait into a person's file, next to what is in it already; the file is never half written.

    Args:
        gait: to keep under its name.
        library: the set that comes with the robot; its stand gait makes the file whole.
        file: to write.

    Raises:
        ConfigurationError: the name is one of the set that comes with the robot, or the file cannot be written.
    """
    if gait.name in library:
        raise ConfigurationError(f"gait '{gait.name}' comes with the robot; give yours a name of its own")
    kept: dict[str, Any] = {STAND: _plain(library[STAND])}
    if file.is_file():
        before = read_gaits(file)
        kept |= {name: _plain(before[name]) for name in before.names}
    kept[gait.name] = _plain(gait)
    text = "# Gaits that were tuned by hand. Units: s, m, m/s, rad/s.\n" + yaml.safe_dump({"gaits": kept}, sort_keys=False)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text)
        draft.replace(file)
    except OSError as error:
        raise ConfigurationError(f"gait '{gait.name}' cannot be kept in {file}: {error}") from error


def _plain(gait: Gait) -> dict[str, Any]:
    """The values of a gait as YAML has them."""
    return gait.model_dump(mode="json", exclude={"name"})
