# SPDX-License-Identifier: Apache-2.0
"""Files beside tests of another folder: tests are no package."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any


def neighbour(file: str) -> Any:
    """A module out of a file under tests/. Each caller has one of its own: what it sets there, nobody else sees."""
    spec = spec_from_file_location(Path(file).stem, Path(__file__).parents[1] / file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
