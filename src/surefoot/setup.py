# SPDX-License-Identifier: Apache-2.0
"""The package as colcon builds it in a ROS 2 workspace. Without a workspace nothing of this is used."""

from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent
# Whole files, not entry points: `ros2 run` and `ros2 launch` look for executables in lib/surefoot.
SCRIPTS = sorted(str(path.relative_to(HERE)) for path in (HERE / "scripts").iterdir() if path.is_file())

setup(
    name="surefoot",
    version="0.1.0",
    packages=find_packages(exclude=["test"]),
    package_data={"surefoot": ["**/*"]},
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/surefoot"]),
        ("share/surefoot", ["package.xml"]),
        ("lib/surefoot", SCRIPTS),
    ],
    python_requires=">=3.11",
    install_requires=["setuptools"],
    zip_safe=False,
    maintainer="Surefoot developers",
    maintainer_email="surefoot@users.noreply.github.com",
    description="A control stack for quadruped robots that rehearses each gait change before it takes it",
    license="Apache-2.0",
    entry_points={"console_scripts": ["surefoot = surefoot.cli.app:main"]},
)
