# Run by cpack on the installed files, before they are packed: what only a Debian package has.
#   CPACK_TEMPORARY_INSTALL_DIRECTORY, CPACK_SPOT_SOURCE_DIR, CPACK_PACKAGE_*
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
set(doc ${root}/share/doc/spotsim)
file(MAKE_DIRECTORY ${doc})

function(spot_gzip)
    execute_process(COMMAND gzip -9 -n -f ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Where zsh of Debian looks.
if(EXISTS ${root}/share/zsh/site-functions)
    file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
endif()

file(GLOB pages ${root}/share/man/man*/*)
spot_gzip(${pages})

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog.Debian "spotsim (${CPACK_PACKAGE_VERSION}-1) unstable; urgency=medium

  * A package made by cpack from the sources; changelog.gz has the changes of
    spotsim itself.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(COPY_FILE ${CPACK_SPOT_SOURCE_DIR}/CHANGELOG.md ${doc}/changelog)
spot_gzip(${doc}/changelog.Debian ${doc}/changelog)

file(COPY_FILE ${CPACK_SPOT_SOURCE_DIR}/cmake/debian/copyright ${doc}/copyright)

# The guides lie among the studies and models that they link to.
file(CREATE_LINK ../../spotsim/docs ${doc}/docs SYMBOLIC)
file(CREATE_LINK ../../spotsim/README.md ${doc}/README.md SYMBOLIC)
file(CHMOD ${doc}/changelog.gz ${doc}/changelog.Debian.gz ${doc}/copyright
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
