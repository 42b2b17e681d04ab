# SPDX-License-Identifier: Apache-2.0
"""What a recording was made with: the code, its libraries, the robot, its configuration."""

import hashlib
import json
import platform
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import surefoot
from surefoot.robot.description import read_robot
from surefoot.robot.locate import find_gait_set, find_robot, find_urdf, read_urdf, shared_directory

VERSIONS, URDF, ROBOT, GAITS = "versions.json", "robot.urdf", "robot.yaml", "gaits.yaml"
CONFIGURATION = "config/"
"""Folder of the attachments that hold the files of config/."""


def versions() -> dict[str, Any]:
    """Versions of everything that can change an output: a sum over the package's source, the commit, Python, and each library."""
    package = Path(surefoot.__file__).parent
    total = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        total.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes() + b"\0")
    return {
        "surefoot": surefoot.__version__,
        "source_sha256": total.hexdigest(),
        "commit": _commit(package),
        "python": sys.version.split()[0],
        "machine": platform.machine(),
        "system": platform.platform(),
        "packages": {name: version for name, version in sorted((found.name, found.version) for found in distributions()) if name},
    }


def provenance(robot: str) -> dict[str, tuple[str, bytes]]:
    """What a recorder puts into a bag at its beginning: media type and content by name.

    Args:
        robot: a name in config/robots or a path.

    Raises:
        ConfigurationError: there is no such robot, or it names no gaits that there are.
    """
    file = find_robot(robot)
    description = read_robot(file)
    urdf = read_urdf(find_urdf(description, file), description.xacro_arguments)
    files = {
        VERSIONS: ("application/json", json.dumps(versions(), indent=1).encode()),
        URDF: ("application/xml", urdf.encode()),
        ROBOT: ("application/yaml", file.read_bytes()),
        GAITS: ("application/yaml", find_gait_set(description.gait_set).read_bytes()),
    }
    folder = shared_directory() / "config"
    for path in sorted(folder.rglob("*.yaml")):
        files[f"{CONFIGURATION}{path.relative_to(folder)}"] = ("application/yaml", path.read_bytes())
    return files


def differences(attachments: dict[str, bytes], robot: str) -> list[str]:
    """What is another now than when a bag was recorded, in words: where the outputs of a replay differ, this is why, or it is a fault.

    Args:
        attachments: of the bag.
        robot: that is replayed.
    """
    if VERSIONS not in attachments:
        return ["the bag does not say what it was made with"]
    then, now = json.loads(attachments[VERSIONS]), versions()
    words = [
        f"{what}: {then.get(key)} then, {now[key]} now"
        for what, key in (("version", "surefoot"), ("commit", "commit"), ("Python", "python"), ("machine", "machine"))
        if then.get(key) != now[key]
    ]
    if then.get("source_sha256") != now["source_sha256"] and not any(word.startswith("commit") for word in words):
        words.append("the source was changed since, within the same commit")
    packages = then.get("packages", {})
    words += [
        f"{name}: {packages.get(name, 'none')} then, {now['packages'].get(name, 'none')} now"
        for name in sorted(packages | now["packages"])
        if packages.get(name) != now["packages"].get(name)
    ]
    today = provenance(robot)
    changed = [
        name
        for name, content in attachments.items()
        if (name.startswith(CONFIGURATION) or name in (URDF, ROBOT, GAITS)) and (name not in today or today[name][1] != content)
    ]
    return words + [f"{name} is another" for name in sorted(changed)]


def _commit(folder: Path) -> str:
    words = ["git", "describe", "--always", "--dirty"]
    try:
        found = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.strip()
