include(GoogleTest)

add_library(spillway_flags INTERFACE)
target_compile_options(spillway_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  # clang, which fuzzes, warns of other things. GCC 12 sees overlapping copies in std::string + (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Werror> $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
target_link_options(spillway_flags INTERFACE -Wl,--fatal-warnings)
target_include_directories(spillway_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests)

set(SPILLWAY_TEST_TIMEOUT 600)

if(SPILLWAY_SANITIZE)
  set(SPILLWAY_TEST_TIMEOUT 3600)
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
    add_compile_options(-fsanitize=fuzzer-no-link)
  else()
    # Instrumented code confuses this one warning of g++ 12; the release build keeps it.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

# spillway_module(NAME SOURCES a.cpp ... DEPENDS other_modules... THIRD_PARTY libs...)
# One folder, one static library; third parties stay private to it.
function(spillway_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;THIRD_PARTY" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ${arg_DEPENDS} PRIVATE spillway_flags ${arg_THIRD_PARTY})
endfunction()

# spillway_test(NAME SOURCES a.cpp ... USES modules...): one GoogleTest program, RapidCheck at hand; each of its tests is
# one of CTest's, in a process of its own that is given up after SPILLWAY_TEST_TIMEOUT seconds.
function(spillway_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE spillway_flags ${arg_USES} rapidcheck GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE SPILLWAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST
                       PROPERTIES TIMEOUT ${SPILLWAY_TEST_TIMEOUT})
endfunction()
