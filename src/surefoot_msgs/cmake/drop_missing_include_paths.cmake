# SPDX-License-Identifier: Apache-2.0
# The message wheels export the Python include path of the box that built them, and CMake refuses a path that does not exist.
# Nothing is dropped on a ROS 2 that was installed as a whole.
get_property(imported_targets DIRECTORY PROPERTY IMPORTED_TARGETS)
list(FILTER imported_targets INCLUDE REGEX "__rosidl_generator_py$")
foreach(imported_target IN LISTS imported_targets)
  get_target_property(include_paths ${imported_target} INTERFACE_INCLUDE_DIRECTORIES)
  set(usable_paths)
  foreach(include_path IN LISTS include_paths)
    if(include_path MATCHES "^\\$<" OR EXISTS "${include_path}")
      list(APPEND usable_paths "${include_path}")
    endif()
  endforeach()
  set_property(TARGET ${imported_target} PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${usable_paths}")
endforeach()
