# SPDX-License-Identifier: Apache-2.0
# Where no ROS 2 is sourced, find the ament and rosidl packages in the Python environment that runs this build (wheels ros-* of PyPI).
if(NOT "$ENV{AMENT_PREFIX_PATH}" STREQUAL "")
  return()
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
execute_process(
  COMMAND "${Python3_EXECUTABLE}" -c "import ament_package, sys; print(sys.prefix)"
  OUTPUT_VARIABLE wheels_prefix
  OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "No ROS 2 is sourced: taking ROS packages from ${wheels_prefix}")
set(ENV{AMENT_PREFIX_PATH} "${wheels_prefix}")
list(PREPEND CMAKE_PREFIX_PATH "${wheels_prefix}")
set(SUREFOOT_PYTHON_ONLY ON)
