# What `cmake --install` puts under a prefix. Tandem's own files find each other by relative paths, so the prefix may be moved;
# LibTorch is found where it was at build time.
include(CMakePackageConfigHelpers)
set(package lib/cmake/Tandem)

install(TARGETS tandem EXPORT TandemTargets LIBRARY DESTINATION lib)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/tandem DESTINATION include FILES_MATCHING PATTERN "*.h"
        PATTERN "*_test.h" EXCLUDE PATTERN testing EXCLUDE PATTERN mpi EXCLUDE)
install(EXPORT TandemTargets NAMESPACE Tandem:: DESTINATION ${package})

configure_package_config_file(cmake/TandemConfig.cmake.in ${CMAKE_BINARY_DIR}/TandemConfig.cmake INSTALL_DESTINATION ${package}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TandemConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TandemConfig.cmake ${CMAKE_BINARY_DIR}/TandemConfigVersion.cmake cmake/TandemLibTorch.cmake
              cmake/TandemPrecompile.cmake DESTINATION ${package})
foreach(plugin tandem_cuda tandem_mpi)
  if(TARGET ${plugin})
    install(TARGETS ${plugin} LIBRARY DESTINATION lib)
  endif()
endforeach()
if(TARGET tandem_cli)
  install(TARGETS tandem_cli RUNTIME DESTINATION bin)
endif()
