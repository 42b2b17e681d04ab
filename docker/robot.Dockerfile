# SPDX-License-Identifier: Apache-2.0
# For the computer on the robot (Raspberry Pi 4 or 5 and the like, arm64, 4 GB): the stack without simulator, page and pictures.
#   docker buildx build --platform linux/arm64 -f docker/robot.Dockerfile -t surefoot-robot .
FROM ros:jazzy-ros-core

RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      build-essential python3-colcon-common-extensions python3-pip python3-numpy python3-scipy python3-yaml python3-psutil \
      ros-jazzy-pinocchio ros-jazzy-tf2-msgs ros-jazzy-tf-transformations ros-jazzy-xacro ros-jazzy-joy \
 && rm -rf /var/lib/apt/lists/*

# As in the base, less what only a simulation or a picture needs. MuJoCo stays: rehearsals are simulations.
WORKDIR /workspace
COPY requirements.lock .
RUN grep -iE '^(mujoco|mujoco-core|numba|llvmlite|quadprog|pydantic|pydantic_core|annotated-types|typing-inspection|typing_extensions|typer|annotated-doc|rich|rosbags|mcap)==' \
      requirements.lock > wheels.txt \
 && python3 -m pip install --break-system-packages --ignore-installed --no-deps -r wheels.txt \
 && python3 -m pip install --break-system-packages absl-py etils shellingham lz4 zstandard ruamel.yaml apsw

COPY src src
COPY launch launch
COPY config config
COPY urdf urdf
# One job at a time: two compilers of messages do not fit into 4 GB.
RUN . /opt/ros/jazzy/setup.sh && MAKEFLAGS=-j1 colcon build --merge-install --executor sequential

RUN sed -i '/^exec/i . /workspace/install/setup.sh' /ros_entrypoint.sh
CMD ["ros2", "launch", "surefoot_bringup", "robot.launch.xml"]
