include(GoogleTest)
include(cmake/records.cmake)
include(cmake/colours.cmake)

# So many files of a room are compiled as one (CMAKE_UNITY_BUILD, on in all presets but plain and tidy). What they share is
# compiled once, so that more makes a whole build cheaper and the next one after a change dearer: that compiles its batch.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 33)

add_library(spillway_flags INTERFACE)
# ARM, and x86-64 under -march=native, would round a product and the sum behind it once: other last bits than elsewhere.
target_compile_options(spillway_flags INTERFACE -ffp-contract=off
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  # clang, which fuzzes, warns of other things. GCC 12 sees overlapping copies in std::string + (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Werror> $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # Kilobytes up to which GCC's heap grows before it looks for what it can free. A batch then compiles in 7 % less time,
  # and takes 1.1 GB instead of 0.9.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=4000000>)
target_link_options(spillway_flags INTERFACE -Wl,--fatal-warnings)
target_include_directories(spillway_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests
  ${PROJECT_BINARY_DIR}/src)  # spillway_records

set(SPILLWAY_TEST_TIMEOUT 600)

if(SPILLWAY_SANITIZE)
  set(SPILLWAY_TEST_TIMEOUT 1200)
  if(SPILLWAY_SANITIZE STREQUAL "thread")
    set(sanitizers thread)
    add_compile_options(-Wno-tsan)  # it knows no fences
  else()
    set(sanitizers address,undefined)
  endif()
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  if(SPILLWAY_SANITIZE STREQUAL "fuzzer")
    add_compile_options(-fsanitize=fuzzer-no-link
                        -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/tests/fuzz/not_ours.txt)
  else()
    # Instrumented code confuses this one warning of g++ 12; the release build keeps it.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

# spillway_sources(VARIABLE PATTERN): the files of this folder and those under it, found again at each build, without those
# of folders that are built by themselves.
function(spillway_sources variable pattern)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${pattern})
  file(GLOB_RECURSE apart RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} */CMakeLists.txt)
  foreach(list ${apart})
    get_filename_component(folder ${list} DIRECTORY)
    list(FILTER found EXCLUDE REGEX "^${folder}/")
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# What runs a few times a command, reads and writes: optimising it fully takes longer than it ever runs. -Og takes a sixth
# less than -O1, but plans then take 6 % longer.
set(SPILLWAY_OPTIMISED_LITTLE $<$<NOT:$<CONFIG:Debug>>:-O1>)
# Tests are more than half of a clean build, and what takes their time is what they call.
set(SPILLWAY_OPTIMISED_FOR_TESTS $<$<NOT:$<CONFIG:Debug>>:-Og>)

# spillway_module(NAME RARELY_RUN DEPENDS other_modules... THIRD_PARTY libs... SOURCES more.cpp ...)
# One folder with its inner rooms, one static library; third parties stay private to it.
function(spillway_module name)
  cmake_parse_arguments(arg "RARELY_RUN" "" "SOURCES;DEPENDS;THIRD_PARTY" ${ARGN})
  spillway_sources(sources *.cpp)
  add_library(${name} STATIC ${sources} ${arg_SOURCES})
  set_property(GLOBAL APPEND PROPERTY SPILLWAY_ROOMS ${name})
  target_link_libraries(${name} PUBLIC ${arg_DEPENDS} PRIVATE spillway_flags ${arg_THIRD_PARTY})
  # The Python module holds them, too. Nobody replaces a function of ours, so that calls stay as quick.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE $<$<AND:$<CXX_COMPILER_ID:GNU>,$<COMPILE_LANGUAGE:CXX>>:-fno-semantic-interposition>)
  if(arg_RARELY_RUN)
    target_compile_options(${name} PRIVATE ${SPILLWAY_OPTIMISED_LITTLE})
  endif()
endfunction()

# spillway_test_runs(NAME programs...): the test starts these. It is linked after them, but compiled without them, so that
# `make plain` compiles a share of its files and nothing else.
function(spillway_test_runs name)
  foreach(program ${ARGN})
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS $<TARGET_FILE:${program}>)
  endforeach()
endfunction()

# spillway_test(NAME USES modules... SOURCES more.cpp ...): the folder's *_test.cpp as one GoogleTest program, RapidCheck at
# hand; each of its tests is one of CTest's, in a process of its own that is given up after SPILLWAY_TEST_TIMEOUT seconds.
function(spillway_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  spillway_sources(sources *_test.cpp)
  add_executable(${name} ${sources} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE spillway_flags ${arg_USES} rapidcheck GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE SPILLWAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE ${SPILLWAY_OPTIMISED_FOR_TESTS})
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST
                       PROPERTIES TIMEOUT ${SPILLWAY_TEST_TIMEOUT})
endfunction()
