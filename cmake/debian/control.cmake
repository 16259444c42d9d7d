# Run by cpack on its package: takes the scripts away that cpack adds to run ldconfig. The trigger
# does that, and a package without scripts can be installed into any root.
#   CPACK_PACKAGE_FILES, CPACK_TOPLEVEL_DIRECTORY
set(folder ${CPACK_TOPLEVEL_DIRECTORY}/without-scripts)
foreach(package IN LISTS CPACK_PACKAGE_FILES)
    file(REMOVE_RECURSE ${folder})
    execute_process(COMMAND dpkg-deb --raw-extract ${package} ${folder} COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE ${folder}/DEBIAN/postinst ${folder}/DEBIAN/postrm)
    execute_process(COMMAND dpkg-deb --root-owner-group --build ${folder} ${package}
        OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(REMOVE_RECURSE ${folder})
