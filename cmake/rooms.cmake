# A room is a folder and a target; NEEDS are its arrows to other rooms. A global property keeps the
# arrows, with which tests/structure compares every #include. A source may be in a folder of the
# room (parcae/parcae.c).
#
#   spot_room(NAME SOURCES a.c b.c [NEEDS room...] [LIBS imported-target...])
function(spot_room name)
    cmake_parse_arguments(ROOM "" "" "SOURCES;NEEDS;LIBS" ${ARGN})
    add_library(spot_${name} STATIC ${ROOM_SOURCES})
    target_include_directories(spot_${name} PUBLIC ${PROJECT_SOURCE_DIR})
    list(TRANSFORM ROOM_NEEDS PREPEND spot_ OUTPUT_VARIABLE needed_targets)
    target_link_libraries(spot_${name} PUBLIC ${needed_targets} PRIVATE ${ROOM_LIBS})
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    list(FILTER ROOM_SOURCES INCLUDE REGEX "/")
    list(TRANSFORM ROOM_SOURCES REPLACE "/[^/]*$" "")
    list(TRANSFORM ROOM_SOURCES PREPEND ${folder}/ OUTPUT_VARIABLE inner_folders)
    list(REMOVE_DUPLICATES inner_folders)
    set_property(GLOBAL APPEND PROPERTY SPOT_ROOMS ${name})
    set_property(GLOBAL PROPERTY SPOT_ROOM_FOLDER_${name} ${folder})
    set_property(GLOBAL PROPERTY SPOT_ROOM_INNER_FOLDERS_${name} ${inner_folders})
    set_property(GLOBAL PROPERTY SPOT_ROOM_NEEDS_${name} ${ROOM_NEEDS})
endfunction()
