# Everything spotsim needs comes from the system's packages; nothing is downloaded.
find_package(PkgConfig REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(MD REQUIRED IMPORTED_TARGET libmd)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
find_package(GSL REQUIRED)
find_package(CSV REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
find_library(MATH_LIBRARY m REQUIRED)
# Chart.js of the package libjs-chart.js, which goes into the pages that reports make.
find_file(CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js REQUIRED)
