# What `cmake --install` puts where, and the Debian packages of it (make package): the program with its data, the library,
# the Python module. Nothing names a place: the program finds its data beside itself (src/json/shipped_files.h).
include(GNUInstallDirs)

install(TARGETS spillway RUNTIME COMPONENT program)
install(TARGETS simgrid_module LIBRARY DESTINATION lib/spillway COMPONENT program)
install(DIRECTORY platforms workloads DESTINATION ${CMAKE_INSTALL_DATADIR}/spillway COMPONENT program
        FILES_MATCHING PATTERN "*.json" PATTERN "*.csv" PATTERN "*.md" PATTERN "*.sbatch")
install(FILES cmake/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME spillway
        COMPONENT program)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT program)
# The pages are what --help says, so they are made when there is a program, and where they belong.
install(CODE "execute_process(COMMAND ${PROJECT_SOURCE_DIR}/cmake/man.sh $<TARGET_FILE:spillway>
              \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\" COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT program)

# All rooms as one archive, for find_package(Spillway).
get_property(rooms GLOBAL PROPERTY SPILLWAY_ROOMS)
list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
add_library(spillway_library STATIC ${rooms})
set_target_properties(spillway_library PROPERTIES OUTPUT_NAME spillway LINKER_LANGUAGE CXX)
install(TARGETS spillway_library ARCHIVE COMPONENT library)
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spillway COMPONENT library
        FILES_MATCHING PATTERN "*.h" PATTERN cli EXCLUDE PATTERN python EXCLUDE PATTERN web EXCLUDE)
install(DIRECTORY sim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spillway COMPONENT library FILES_MATCHING PATTERN "*.h")
include(CMakePackageConfigHelpers)
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/Spillway)
configure_package_config_file(cmake/SpillwayConfig.cmake.in ${CMAKE_BINARY_DIR}/SpillwayConfig.cmake
  INSTALL_DESTINATION ${config} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/SpillwayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/SpillwayConfig.cmake ${CMAKE_BINARY_DIR}/SpillwayConfigVersion.cmake
        DESTINATION ${config} COMPONENT library)

if(TARGET spillway_python)
  set(SPILLWAY_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where Python looks for packages, below the prefix")
  install(TARGETS spillway_python LIBRARY DESTINATION ${SPILLWAY_PYTHON_DIR}/spillway COMPONENT python)
  install(DIRECTORY src/python/spillway DESTINATION ${SPILLWAY_PYTHON_DIR} COMPONENT python
          FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN py.typed)
  install(FILES src/json/schemas/program.schema.json DESTINATION ${SPILLWAY_PYTHON_DIR}/spillway/runtime
          COMPONENT python)
  install(CODE "set(page \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1/spillway.runtime.1\")
                get_filename_component(folder \"\${page}\" DIRECTORY)
                file(MAKE_DIRECTORY \"\${folder}\")
                execute_process(COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${CMAKE_BINARY_DIR}/python
                                ${Python_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/man_module.py spillway.runtime
                                ${PROJECT_VERSION} OUTPUT_FILE \"\${page}\" COMMAND_ERROR_IS_FATAL ANY)"
          COMPONENT python)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGE_NAME spillway)
set(CPACK_PACKAGE_CONTACT "the maintainers of Spillway <maintainers@spillway.invalid>")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME spillway)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "what a pipeline schedule does on a cluster, before you rent it
Simulates pipeline-parallel training steps of multimodal models: how long they
take, where the time goes, whether they fit, which layout to choose.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libspillway-dev)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "Spillway as a C++20 library, find_package(Spillway)")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
    "libsimgrid-dev, nlohmann-json3-dev, libfmt-dev, zlib1g-dev, libarchive-dev, libsqlitecpp-dev, libsqlite3-dev, libxxhash-dev, libyaml-cpp-dev, libopenmpi-dev, libboost-dev, libeigen3-dev")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-spillway)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "Spillway as a Python module")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, spillway (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-numpy, python3-pandas")
include(CPack)
