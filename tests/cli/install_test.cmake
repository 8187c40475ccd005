# Installs the command, moves the whole prefix and runs it from there. -DBUILD=<build folder> -DWORK=<scratch folder>
# -DVERSION=<what it must say it is>
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${WORK}/prefix ${WORK}/moved)

unset(ENV{LD_LIBRARY_PATH})
execute_process(COMMAND ${WORK}/moved/bin/tandem info --json WORKING_DIRECTORY / OUTPUT_VARIABLE figures RESULT_VARIABLE status
                ERROR_VARIABLE errors)
if(NOT status EQUAL 0 OR NOT errors STREQUAL "")
  message(FATAL_ERROR "the installed command ended with ${status}: ${errors}")
endif()
string(JSON version GET "${figures}" version)
if(NOT version STREQUAL VERSION)
  message(FATAL_ERROR "version must be ${VERSION}, got ${version}")
endif()
file(REMOVE_RECURSE ${WORK})
