# SPDX-License-Identifier: Apache-2.0
"""The steps that make the environment. Each can be repeated, and leaves nothing half-made that a repetition would trust."""

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from surefoot.environment.commands import run_logged, side_by_side

Report = Callable[[str], None]

PIPS = 2
"""pip downloads and unpacks on one core. Two of them halve the wait: different packages have no file in common."""


@dataclass(frozen=True)
class Step:
    """One step: a title, what it is made from (hashed), and the work. The work reports what it is at."""

    name: str
    title: str
    sources: str
    work: Callable[[Report], None]


@dataclass(frozen=True)
class Place:
    """Where things lie."""

    root: Path

    @property
    def environment(self) -> Path:
        return self.root / ".venv"

    @property
    def state(self) -> Path:
        """Log and stamps. Its presence says that ./surefoot made this environment."""
        return self.environment / "surefoot"

    @property
    def log(self) -> Path:
        return self.state / "make.log"

    @property
    def python(self) -> Path:
        return self.environment / "bin" / "python"

    @property
    def packages(self) -> Path:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        return self.environment / "lib" / version / "site-packages"

    def variables(self) -> dict[str, str]:
        """The process environment for commands inside of the environment."""
        kept = {
            key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "AMENT_PREFIX_PATH", "PYTHONDONTWRITEBYTECODE")
        }
        path = f"{self.environment / 'bin'}{os.pathsep}{kept.get('PATH', os.defpath)}"
        return kept | {"PATH": path, "VIRTUAL_ENV": str(self.environment), "PYTHONUNBUFFERED": "1", "PIP_USER": "0"}


def all_steps(place: Place) -> list[tuple[Step, ...]]:
    """The steps in their order. Those of one row need nothing of each other and are made side by side."""
    lock = place.root / "requirements.lock"
    count = sum("==" in line and not line.startswith("#") for line in lock.read_text().splitlines())
    interfaces = [("surefoot_msgs", place.root / "src/surefoot_msgs"), ("tf2_msgs", place.root / "src/pip_only/tf2_msgs")]
    package = place.root / "src" / "surefoot"
    return [
        (Step("python", "making .venv", f"{sys.version} {sys.executable} {place.root}", partial(_make_environment, place)),),
        (Step("requirements", f"installing {count} packages", _digest(lock), partial(_install, place, lock, count)),),
        (Step("package", "linking the package", str(package), partial(_link_package, place, package)),),
        (
            Step("compiled", "compiling the policy", os.environ.get("NUMBA_CACHE_DIR", ""), partial(_warm_up, place, package)),
            *(
                Step(name, f"building {name}", _digest(source), partial(_build_interfaces, place, name, source))
                for name, source in interfaces
            ),
            Step("bytecode", "compiling the packages", "", partial(_compile_packages, place)),
        ),
    ]


def _digest(path: Path) -> str:
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    total = hashlib.sha256()
    for file in files:
        total.update(f"{file.relative_to(path)}\0".encode() + file.read_bytes() + b"\0")
    return total.hexdigest()


def _make_environment(place: Place, report: Report) -> None:
    for entry in place.environment.iterdir():
        if entry != place.state:
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    run_logged([sys.executable, "-m", "venv", place.environment], place.log, place.variables())


def _install(place: Place, lock: Path, count: int, report: Report) -> None:
    pins = [line for line in lock.read_text().splitlines() if line and not line.startswith("#")]
    seen = [0] * PIPS

    def install(part: int) -> None:
        def follow(line: str) -> None:
            if line.startswith(("Collecting ", "Processing ", "Requirement already satisfied")):
                seen[part] += 1
                report(f"{sum(seen)}/{count}")
            elif line.startswith("Installing collected packages"):
                report("unpacking")

        mine = place.state / f"requirements.{part}.txt"
        mine.write_text("\n".join(pins[part::PIPS]) + "\n")
        # The lock holds the full closure: resolving it again would only cost time and could pick something else.
        options = ["--no-deps", "--no-compile", "--no-input", "--progress-bar=off", "--disable-pip-version-check"]
        run_logged([place.python, "-m", "pip", "install", *options, "-r", mine], place.log, place.variables(), follow)

    side_by_side([partial(install, part) for part in range(PIPS)])


def _compile_packages(place: Place, report: Report) -> None:
    # pip would compile everything, on one core: a third of the whole time for files that nobody imports. The result is not looked at:
    # what does not compile here, templates and the like, is nothing that can be imported.
    seldom = r"/(tests?|OpenGL|pip|setuptools|docutils|mypyc?|hypothesis|apsw)/"
    compile_all = "import compileall, re, sys; compileall.compile_dir(sys.argv[1], quiet=2, workers=0, rx=re.compile(sys.argv[2]))"
    run_logged([place.python, "-c", compile_all, place.packages, seldom], place.log, place.variables())


def _build_interfaces(place: Place, name: str, source: Path, report: Report) -> None:
    build = place.environment / "build" / name
    for stale in (build, place.packages / name):
        shutil.rmtree(stale, ignore_errors=True)

    def follow(line: str) -> None:
        if counted := re.match(r"\[(\d+/\d+)\]", line):
            report(counted[1])

    options = {
        "CMAKE_BUILD_TYPE": "Release", "CMAKE_INSTALL_PREFIX": place.environment, "BUILD_TESTING": "OFF",
        "Python3_EXECUTABLE": place.python, "CMAKE_MAKE_PROGRAM": place.environment / "bin" / "ninja",
    }  # fmt: skip
    cmake = place.environment / "bin" / "cmake"
    variables = place.variables()
    definitions = [f"-D{key}={value}" for key, value in options.items()]
    run_logged([cmake, "-S", source, "-B", build, "-G", "Ninja", *definitions], place.log, variables)
    run_logged([cmake, "--build", build, "--target", "install"], place.log, variables, follow)
    message = "RobotState" if name == "surefoot_msgs" else "TFMessage"
    check = f"from {name}.msg import {message} as M; M.__class__.__import_type_support__(); assert M.__class__._TYPE_SUPPORT"
    run_logged([place.python, "-c", check], place.log, variables | {"AMENT_PREFIX_PATH": str(place.environment)})
    shutil.rmtree(build)


def _link_package(place: Place, package: Path, report: Report) -> None:
    (place.packages / "surefoot.pth").write_text(f"{package}\n")


def _warm_up(place: Place, package: Path, report: Report) -> None:
    cache = Path(os.environ["NUMBA_CACHE_DIR"])
    module = "surefoot.evaluation.warm_up"
    source = package.joinpath(*module.split("."))
    if source.is_dir() or source.with_suffix(".py").is_file():
        variables = place.variables() | {"AMENT_PREFIX_PATH": str(place.environment)}
        run_logged([place.python, "-m", module], place.log, variables, lambda line: report(line.strip()[:60]))
    for other in cache.parent.glob("*"):
        if other != cache:
            shutil.rmtree(other, ignore_errors=True)
