# Writes a header with the commit of the sources. An unchanged header is not written again, so that
# nothing is compiled anew. Every build runs this script.
#   cmake -DSOURCE_DIR=... -DHEADER=FILE -P commit.cmake
# "unknown" outside git, also within another repository.
cmake_minimum_required(VERSION 3.22)
set(commit unknown)
find_program(GIT git)
if(GIT)
    execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse --show-prefix
        OUTPUT_VARIABLE prefix RESULT_VARIABLE status ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status EQUAL 0 AND prefix STREQUAL "")
        execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} describe --always --dirty
            OUTPUT_VARIABLE described RESULT_VARIABLE status ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
        if(status EQUAL 0 AND NOT described STREQUAL "")
            set(commit ${described})
        endif()
    endif()
endif()
set(text "#define SPOT_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${HEADER})
    file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL before)
    file(WRITE ${HEADER} "${text}")
endif()
