# Run by `cmake --install`: installs shipped files below share/spotsim, those only that git tracks.
# What was made among them since, results for example, stays out. Sources without git have no such
# list: then all files are installed but databases and pages.
#   SPOT_SOURCE_DIR, SPOT_DATA_DIR: from, and to below the prefix
function(spot_tracked_files out)
    find_program(GIT git)
    if(GIT)
        execute_process(COMMAND ${GIT} -c safe.directory=${SPOT_SOURCE_DIR} -c core.quotePath=off
            -C ${SPOT_SOURCE_DIR} ls-files -- ${ARGN}
            OUTPUT_VARIABLE names RESULT_VARIABLE status ERROR_QUIET)
        if(status EQUAL 0 AND NOT names STREQUAL "")
            string(REGEX MATCHALL "[^\n]+" names "${names}")
            set(${out} ${names} PARENT_SCOPE)
            return()
        endif()
    endif()
    set(names "")
    foreach(path ${ARGN})
        if(IS_DIRECTORY ${SPOT_SOURCE_DIR}/${path})
            file(GLOB_RECURSE files RELATIVE ${SPOT_SOURCE_DIR} ${SPOT_SOURCE_DIR}/${path}/*)
            list(APPEND names ${files})
        else()
            list(APPEND names ${path})
        endif()
    endforeach()
    list(FILTER names EXCLUDE REGEX "\\.(db|html|pyc)(-[a-z]+)?$")
    set(${out} ${names} PARENT_SCOPE)
endfunction()

# They lie there as here, for studies and guides name each other by relative paths; share/ goes.
spot_tracked_files(names README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md COPYING docs reports/studies models/sample
    share/slurm share/examples share/jobs share/python)
foreach(name IN LISTS names)
    if(EXISTS ${SPOT_SOURCE_DIR}/${name})
        string(REGEX REPLACE "^share/" "" path ${name})
        get_filename_component(folder ${path} DIRECTORY)
        file(INSTALL DESTINATION ${CMAKE_INSTALL_PREFIX}/${SPOT_DATA_DIR}/${folder}
            TYPE FILE FILES ${SPOT_SOURCE_DIR}/${name})
    endif()
endforeach()
