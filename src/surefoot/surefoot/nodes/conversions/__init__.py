# SPDX-License-Identifier: Apache-2.0
"""Between the library's objects and messages: names travel, arrays are ordered again on arrival."""
