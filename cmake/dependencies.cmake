# Everything spotsim needs comes from the system's packages; nothing is downloaded.
find_package(PkgConfig REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
find_package(GSL REQUIRED)
find_package(CSV REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
find_library(MATH_LIBRARY m REQUIRED)
