# Writes every manual page of the program into a folder.
#   cmake -DSPOTSIM=PROGRAM -DFOLDER=FOLDER -P manual.cmake
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${SPOTSIM} help --man=list OUTPUT_VARIABLE pages
    COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" pages "${pages}")
foreach(page IN LISTS pages)
    execute_process(COMMAND ${SPOTSIM} help --man=${page} OUTPUT_FILE ${FOLDER}/${page}
        COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(TOUCH ${FOLDER}/written)
