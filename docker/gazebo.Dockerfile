# SPDX-License-Identifier: Apache-2.0
# Surefoot with Gazebo Harmonic. Build the base first, both from the top of the repository:
#   docker build -f docker/Dockerfile -t surefoot .
#   docker build -f docker/gazebo.Dockerfile -t surefoot-gazebo .
FROM surefoot

RUN apt-get update \
 && apt-get install -y --no-install-recommends ros-jazzy-ros-gz ros-jazzy-robot-state-publisher \
 && rm -rf /var/lib/apt/lists/*

CMD ["ros2", "launch", "surefoot_bringup", "gazebo.launch.xml"]
