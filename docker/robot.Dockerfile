# SPDX-License-Identifier: Apache-2.0
# For the computer on the robot (Raspberry Pi 4 or 5 and the like, arm64, 4 GB): the stack without what draws.
#   docker buildx build --platform linux/arm64 -f docker/robot.Dockerfile -t surefoot-robot .
FROM ros:jazzy-ros-core

RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      build-essential python3-colcon-common-extensions python3-pip python3-numpy python3-scipy python3-psutil \
      ros-jazzy-pinocchio ros-jazzy-tf2-msgs ros-jazzy-tf-transformations ros-jazzy-xacro ros-jazzy-joy \
 && rm -rf /var/lib/apt/lists/*

# As in the base, less what opens windows and writes films. MuJoCo stays: rehearsals are simulations.
WORKDIR /workspace
COPY requirements.lock docker/from_the_distribution.txt ./
RUN grep -vEf from_the_distribution.txt -e '^(glfw|PyOpenGL|imageio-ffmpeg)==' requirements.lock > wheels.txt \
 && python3 -m pip install --break-system-packages --ignore-installed --no-deps -r wheels.txt

COPY src src
COPY launch launch
COPY config config
COPY urdf urdf
# One job at a time: two compilers of messages do not fit into 4 GB.
RUN . /opt/ros/jazzy/setup.sh && MAKEFLAGS=-j1 colcon build --merge-install --executor sequential

RUN sed -i '/^exec/i . /workspace/install/setup.sh' /ros_entrypoint.sh
ENV MUJOCO_GL=disable
CMD ["ros2", "launch", "surefoot_bringup", "robot.launch.xml"]
