# spillway_records(HEADER FOLDERS TYPES_IN TYPE...): the records of each type that files of the folders define, each in a
# line that begins `extern const TYPE kName`, declared and listed as kEveryTYPE in HEADER, in the order of the files. So one
# more is its file alone, and what links takes all of them. The types are those of the header TYPES_IN.
function(spillway_records header folders types_in)
  list(TRANSFORM folders APPEND /*.cpp)
  file(GLOB files CONFIGURE_DEPENDS ${folders})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(sources "")
  foreach(file ${files})
    file(READ ${file} source)
    string(APPEND sources "\n${source}")
  endforeach()
  set(lists "")
  foreach(type ${ARGN})
    if(sources MATCHES "\nconst ${type} (k[A-Za-z0-9_]+)")
      message(FATAL_ERROR "${CMAKE_MATCH_1} would not be listed: its line is to begin `extern const`")
    endif()
    string(REGEX MATCHALL "\nextern const ${type} k[A-Za-z0-9_]+" names "${sources}")
    list(TRANSFORM names REPLACE ".* " "")
    list(JOIN names ", " declared)
    list(JOIN names ", &" listed)
    string(APPEND lists "extern const ${type} ${declared};\ninline constexpr std::array kEvery${type} = {&${listed}};\n")
  endforeach()
  file(CONFIGURE OUTPUT ${header} CONTENT "// Made by cmake/records.cmake.
#pragma once

#include <array>

#include \"${types_in}\"

namespace spillway {

${lists}
}  // namespace spillway
")
endfunction()
