# SPDX-License-Identifier: Apache-2.0
"""metadata.yaml of a rosbag2 folder, version 9."""

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from surefoot.recording.errors import BagError
from surefoot.recording.types import Topic

FILE_NAME = "metadata.yaml"
VERSION = 9
COMPLETE = "surefoot_complete"
"""Key of the custom data: whether the recorder came to its end."""


@dataclass(frozen=True)
class FileEntry:
    """What is said of one file of a bag. Times in ns; without messages both are 0."""

    name: str
    messages: int
    start: int
    end: int


def metadata_text(files: Sequence[FileEntry], topics: Sequence[tuple[Topic, int]], complete: bool, storage: str = "mcap") -> str:
    """The text of metadata.yaml.

    Args:
        files: of the bag, in their order.
        topics: with how many messages each has.
        complete: whether everything is counted.
        storage: mcap or sqlite3.
    """
    spoken = [file for file in files if file.messages]
    start, end = min((file.start for file in spoken), default=0), max((file.end for file in spoken), default=0)
    information = {
        "version": VERSION,
        "storage_identifier": storage,
        "duration": {"nanoseconds": end - start},
        "starting_time": {"nanoseconds_since_epoch": start},
        "message_count": sum(file.messages for file in files),
        "topics_with_message_count": [
            {
                "topic_metadata": {
                    "name": topic.name,
                    "type": topic.type,
                    "serialization_format": "cdr",
                    "offered_qos_profiles": list(topic.quality),
                    "type_description_hash": topic.hash,
                },
                "message_count": count,
            }
            for topic, count in topics
        ],
        "compression_format": "",
        "compression_mode": "",
        "relative_file_paths": [file.name for file in files],
        "files": [
            {
                "path": file.name,
                "starting_time": {"nanoseconds_since_epoch": file.start},
                "duration": {"nanoseconds": file.end - file.start},
                "message_count": file.messages,
            }
            for file in files
        ],
        "custom_data": {COMPLETE: "true" if complete else "false"},
        "ros_distro": os.environ.get("ROS_DISTRO", "unknown"),
    }
    return yaml.safe_dump({"rosbag2_bagfile_information": information}, sort_keys=False)


def write_metadata(folder: Path, text: str) -> None:
    """Put metadata.yaml into a bag, whole or not at all."""
    new = folder / f"{FILE_NAME}.new"
    with new.open("w") as file:
        file.write(text)
        file.flush()
        # Else a loss of power may leave the new name with nothing behind it.
        os.fsync(file.fileno())
    new.replace(folder / FILE_NAME)
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    with contextlib.suppress(OSError):  # some file systems cannot be told
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_metadata(folder: Path) -> dict[str, Any] | None:
    """The information in metadata.yaml; None where there is none, or none that can be read.

    Raises:
        BagError: a format that is newer than this reader.
    """
    try:
        information = yaml.safe_load((folder / FILE_NAME).read_text())["rosbag2_bagfile_information"]
    except (OSError, yaml.YAMLError, KeyError, TypeError, UnicodeDecodeError):
        return None
    if not isinstance(information, dict):
        return None
    if isinstance(version := information.get("version"), int) and version > VERSION:
        raise BagError(f"{folder / FILE_NAME} has format version {version}; versions up to {VERSION} are known here")
    return information
