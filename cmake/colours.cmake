# spillway_colours(CSS HEADER): the light colours of CSS as constants of HEADER, --later-forward as colours::kLaterForward.
# A name with several colours is an array.
function(spillway_colours css header)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${css})
  file(READ ${css} text)
  string(REGEX REPLACE "@media.*" "" text "${text}")
  string(REGEX MATCHALL "--[a-z0-9-]+:[ #0-9a-f]+" colours "${text}")
  set(constants "")
  foreach(colour ${colours})
    string(REGEX MATCH "^--([^:]+):" name "${colour}")
    string(REPLACE "-" ";" parts "${CMAKE_MATCH_1}")
    string(REGEX MATCHALL "#[0-9a-f]+" values "${colour}")
    list(TRANSFORM values REPLACE "#" "0x")
    list(LENGTH values count)
    list(JOIN values ", " values)
    set(name "k")
    foreach(part ${parts})
      string(SUBSTRING ${part} 0 1 first)
      string(SUBSTRING ${part} 1 -1 rest)
      string(TOUPPER ${first} first)
      string(APPEND name ${first}${rest})
    endforeach()
    if(count GREATER 1)
      string(APPEND constants "inline constexpr std::array<std::uint32_t, ${count}> ${name} = {${values}};\n")
    else()
      string(APPEND constants "inline constexpr std::uint32_t ${name} = ${values};\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${header} CONTENT "// Made of ${css} by cmake/colours.cmake.
#pragma once

#include <array>
#include <cstdint>

namespace spillway::colours {

${constants}
}  // namespace spillway::colours
")
endfunction()
