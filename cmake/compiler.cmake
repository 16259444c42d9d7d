# One place for the language, the warnings and the instrumentation of every target.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

option(SPOT_WERROR "Treat warnings as errors" ON)
set(SPOT_SANITIZE "" CACHE STRING "Value of -fsanitize= for every target, empty for none")
option(SPOT_COVERAGE "Instrument for coverage" OFF)

add_compile_definitions(_POSIX_C_SOURCE=200809L)
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
    -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings -Wdouble-promotion
    -Wvla -Wformat=2 -fno-common -ffp-contract=off)
if(SPOT_WERROR)
    add_compile_options(-Werror)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    # The warning depends on the level of optimisation, and snprintf may truncate.
    add_compile_options(-Wno-format-truncation)
endif()
if(SPOT_SANITIZE)
    add_compile_options(-fsanitize=${SPOT_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${SPOT_SANITIZE})
    if(SPOT_SANITIZE MATCHES address)
        # A position-independent program relocates the sanitizer's records of all globals at each start:
        # a quarter of the time of a short process, and tests start thousands.
        string(APPEND CMAKE_EXE_LINKER_FLAGS " -no-pie")
    endif()
endif()
if(SPOT_FUZZ) # the rooms too, so that the fuzzers see which paths are new
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(SPOT_COVERAGE)
    add_compile_options(--coverage)
    add_link_options(--coverage)
endif()
# Hardening of what users run: addresses that calls go through are resolved at the start and read-only
# from then on, no stack is executable, a local array that is written past its end ends the program.
# SECURITY.md says what against; tests/structure/hardening.sh looks.
if(NOT SPOT_SANITIZE)
    include(CheckPIESupported)
    check_pie_supported(LANGUAGES C)
    add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
    add_compile_options(-fstack-protector-strong)
    # Checked copies need an optimiser, level 3 gcc 12 and glibc 2.34.
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
        include(CheckCSourceCompiles)
        set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
        check_c_source_compiles("#include <string.h>
#if !defined __USE_FORTIFY_LEVEL || __USE_FORTIFY_LEVEL < 3
#error
#endif
int main(void) { return 0; }" SPOT_HAS_FORTIFY_3)
        unset(CMAKE_REQUIRED_FLAGS)
        set(spot_fortify 2)
        if(SPOT_HAS_FORTIFY_3)
            set(spot_fortify 3)
        endif()
        add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${spot_fortify})
        # Builds in two folders are the same bytes; debuggers and the counters of coverage want the
        # folder. Of two names that fit, compilers take the last one.
        if(NOT SPOT_COVERAGE)
            add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
                -ffile-prefix-map=${PROJECT_BINARY_DIR}/=build/)
        endif()
    endif()
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT SPOT_SANITIZE)
    include(CheckIPOSupported)
    check_ipo_supported(RESULT spot_has_ipo OUTPUT spot_ipo_reason LANGUAGES C)
    set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ${spot_has_ipo})
    # Link-time optimisation takes 20 times as long to link each of 200 tests, so tests link without
    # it: the objects hold machine code too.
    if(BUILD_TESTING AND CMAKE_C_COMPILER_ID STREQUAL GNU)
        add_compile_options(-ffat-lto-objects)
    endif()
    # The loops of the engine are short, so vectors cost more than they save.
    add_compile_options(-fno-tree-vectorize)
endif()
