# tandem_folder(<name> USES <folders> [LINK <libraries>])
# One folder of src/tandem: a static library of its sources and, with TANDEM_TESTS, one test program of its *_test.cpp. Files
# named *_missing.cpp wait for tandem_optional.
# What a folder includes it must name in USES; tools/arrows reads the same lines and fails on any other include.
set_property(GLOBAL PROPERTY tandem_folders "")
set_property(GLOBAL PROPERTY tandem_links "")

# The precompiled header is parsed once per kind of target, not once per folder: every folder reuses that of this empty one.
file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "")
add_library(tandem_precompiled STATIC ${CMAKE_BINARY_DIR}/precompiled.cpp)
target_link_libraries(tandem_precompiled PUBLIC Tandem::libtorch)
target_precompile_headers(tandem_precompiled PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled.h)

# tandem/tandem.h, for programs as users write them.
include(TandemPrecompile)
add_library(tandem_precompiled_program STATIC EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled.cpp)
target_link_libraries(tandem_precompiled_program PUBLIC Tandem::tandem)
tandem_precompile(tandem_precompiled_program)

if(TANDEM_UNIT_TESTS)
  add_library(tandem_precompiled_test STATIC ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(tandem_precompiled_test PUBLIC Tandem::libtorch ${TANDEM_GTEST})
  target_precompile_headers(tandem_precompiled_test PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled_test.h)
  # Tests run once for each time that they are compiled, and compile in half the time without optimisation.
  target_compile_options(tandem_precompiled_test PRIVATE -O0)
endif()

function(tandem_folder name)
  cmake_parse_arguments(arg "" "" "USES;LINK" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB tests CONFIGURE_DEPENDS ${folder}/*_test.cpp)
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()
  list(REMOVE_ITEM sources ${folder}/main.cpp)
  list(FILTER sources EXCLUDE REGEX "_missing\\.cpp$")
  list(FILTER tests EXCLUDE REGEX "_missing_test\\.cpp$")

  add_library(tandem_${name} STATIC ${sources})
  set_target_properties(tandem_${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(tandem_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(tandem_${name} PUBLIC Tandem::libtorch PRIVATE ${arg_LINK})
  set_property(GLOBAL APPEND PROPERTY tandem_links ${arg_LINK})
  foreach(used ${arg_USES})
    target_link_libraries(tandem_${name} PUBLIC tandem_${used})
  endforeach()
  target_precompile_headers(tandem_${name} REUSE_FROM tandem_precompiled)
  set_property(GLOBAL APPEND PROPERTY tandem_folders tandem_${name})

  if(TANDEM_UNIT_TESTS AND tests)
    tandem_test(${name}_test SOURCES ${tests} LINK tandem_${name})
  endif()
endfunction()

# tandem_test(<name> SOURCES <files> LINK <libraries>): a gtest program registered with ctest as one test.
function(tandem_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 900)
  endif()
  add_executable(${name} ${arg_SOURCES} ${CMAKE_SOURCE_DIR}/src/tandem/testing/main.cpp)
  target_link_libraries(${name} PRIVATE ${arg_LINK} tandem_testing ${TANDEM_GTEST})
  target_precompile_headers(${name} REUSE_FROM tandem_precompiled_test)
  target_compile_options(${name} PRIVATE -O0)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT})
endfunction()
