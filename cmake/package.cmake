# `cpack --config BUILD/CPackConfig.cmake` makes a Debian package of what is installed. Its copyright
# file and changelogs are written, and its manual is compressed, by cmake/debian/files.cmake.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME spotsim)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The authors of spotsim <spotsim@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator of elastic training on preemptible instances")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "What will a training job on preemptible (spot) instances really take?
spotsim answers before anything is rented: how long, how much money, and
where every paid second goes. It runs single scenarios, parameter studies on
all processors, races for the best configuration and comparisons of recovery
systems on the same events; it converts, describes, fits and generates traces
of preemptions.
.
The package has the program, its library with headers, manual pages,
completion for shells, shipped studies, sample models and guides.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/files.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/control.cmake)
set(CPACK_SPOT_SOURCE_DIR ${PROJECT_SOURCE_DIR})

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs
    "libspotsim ${PROJECT_VERSION_MAJOR} spotsim (= ${PROJECT_VERSION}-1)\n")
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs
    ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "librsvg2-bin")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libgsl-dev, pkg-config, sqlite3, python3, parallel, slurm-client")
include(CPack)
