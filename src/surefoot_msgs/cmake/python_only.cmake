# SPDX-License-Identifier: Apache-2.0
# The environment from PyPI uses these interfaces from Python alone. The C++ bindings, which nothing loads there, would double the
# time of the build. (Both C type supports stay: with a single one the dispatch of rosidl_typesupport_c complains at run time.)
set(unused_generators
  rosidl_generator_cpp rosidl_typesupport_cpp rosidl_typesupport_fastrtps_cpp rosidl_typesupport_introspection_cpp)
foreach(unused_generator IN LISTS unused_generators)
  list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "^${unused_generator}:")
endforeach()
