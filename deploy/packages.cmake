# Debian packages: perfrelay, and perfclient, which depends on it. Included with -DPERFRELAY_PACKAGE=ON;
# deploy/package makes them, deploy/test-packages installs them in a fresh root.
include(GNUInstallDirs)

install(TARGETS perfrelay RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT perfrelay)
install(TARGETS perfclient RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT perfclient)

# Man pages and completions: each program writes its own.
set(written)
foreach(program IN ITEMS perfrelay perfclient)
  set(request $<IF:$<STREQUAL:${program},perfrelay>,--reference,reference>)
  foreach(kind IN ITEMS man bash zsh fish)
    set(file ${PROJECT_BINARY_DIR}/reference/${program}.${kind})
    add_custom_command(OUTPUT ${file} VERBATIM
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/reference
      COMMAND sh -c "\"$1\" \"$2\" \"$3\" > \"$4\"" -- $<TARGET_FILE:${program}> ${request} ${kind} ${file}
      DEPENDS ${program})
    list(APPEND written ${file})
  endforeach()
  set(from ${PROJECT_BINARY_DIR}/reference/${program})
  install(FILES ${from}.man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME ${program}.1 COMPONENT ${program})
  install(FILES ${from}.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${program}
          COMPONENT ${program})
  install(FILES ${from}.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _${program}
          COMPONENT ${program})
  install(FILES ${from}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME ${program}.fish
          COMPONENT ${program})
  install(FILES ${PROJECT_SOURCE_DIR}/deploy/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/../${program}
          COMPONENT ${program})
endforeach()
add_custom_target(reference ALL DEPENDS ${written})

install(FILES deploy/systemd/perfrelay.service deploy/systemd/perfrelay.socket DESTINATION lib/systemd/system
        COMPONENT perfrelay)
install(FILES deploy/debian/perfrelay.default DESTINATION /etc/default RENAME perfrelay COMPONENT perfrelay)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "The perfrelay developers <perfrelay@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "measures structured data over links, format by format")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL perfrelay perfclient)
set(CPACK_COMPONENT_PERFRELAY_DESCRIPTION "far end of perfclient's measurements
 Sends back, takes in or plays back what clients bring, over TCP; knows no format.")
set(CPACK_COMPONENT_PERFCLIENT_DESCRIPTION "measures structured data over links, format by format
 Times encoding, transmission and decoding of your documents as XML, EXI, AMF3, Hessian, JSON and more, in
 memory or through perfrelay, with intervals.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PERFRELAY_PACKAGE_NAME perfrelay)
set(CPACK_DEBIAN_PERFCLIENT_PACKAGE_NAME perfclient)
set(CPACK_DEBIAN_PERFCLIENT_PACKAGE_DEPENDS "perfrelay (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PERFRELAY_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/deploy/debian/postinst;${PROJECT_SOURCE_DIR}/deploy/debian/prerm;${PROJECT_SOURCE_DIR}/deploy/debian/postrm;${PROJECT_SOURCE_DIR}/deploy/debian/conffiles")
set(CPACK_DEBIAN_PERFRELAY_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packages)
include(CPack)
