# All rooms but reports and cli joined into one shared library. Only what is marked SPOT_API is
# exported; only <spotsim.h> is supported outside.
set(spot_library_rooms
    base
    verb
    loader
    models
    traces
    records
    convert
    describe
    laws
    fit
    generate
    compare
    jobs
    prices
    queries
    outages
    tasks
    engine
    fleet
    recovery
    published
    store
    analysis
    study
    advise
    train_job
    train
    schedule
    serve
    input
    rerun
    engines)
add_library(spotsim_shared SHARED)
set_target_properties(spotsim_shared PROPERTIES OUTPUT_NAME spotsim
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE C)
if(NOT SPOT_PUBLISHED)
    list(REMOVE_ITEM spot_library_rooms published)
endif()
foreach(room ${spot_library_rooms})
    target_sources(spotsim_shared PRIVATE $<TARGET_OBJECTS:spot_${room}>)
endforeach()
target_link_libraries(spotsim_shared PRIVATE PkgConfig::YAML PkgConfig::MD PkgConfig::ZSTD
    PkgConfig::LZMA PkgConfig::SQLITE
    CSV::CSV ZLIB::ZLIB
    Threads::Threads ${MATH_LIBRARY} PUBLIC GSL::gsl)
if(NOT SPOT_SANITIZE) # the functions of sanitizers are in the program
    target_link_options(spotsim_shared PRIVATE -Wl,-z,defs)
endif()
install(TARGETS spotsim_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

# The headers keep their rooms: spotsim.h includes them by the same paths as the sources do.
install(FILES spotsim.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spotsim)
foreach(room ${spot_library_rooms})
    get_property(folder GLOBAL PROPERTY SPOT_ROOM_FOLDER_${room})
    get_property(inner_folders GLOBAL PROPERTY SPOT_ROOM_INNER_FOLDERS_${room})
    foreach(headers_folder ${folder} ${inner_folders})
        file(GLOB headers ${PROJECT_SOURCE_DIR}/${headers_folder}/*.h)
        install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spotsim/${headers_folder})
    endforeach()
endforeach()
# The .pc file finds its prefix from where it lies, so that any --prefix works.
file(RELATIVE_PATH spot_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/spotsim.pc.in spotsim.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/spotsim.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# Studies, sample models, guides, job scripts, examples and the Python package.
install(CODE "set(SPOT_SOURCE_DIR \"${PROJECT_SOURCE_DIR}\")
set(SPOT_DATA_DIR \"${CMAKE_INSTALL_DATADIR}/spotsim\")")
install(SCRIPT cmake/install_tracked.cmake)
