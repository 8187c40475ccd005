# What the configuration of Tandem itself says: a missing library is named, in one line where it is left out and as an error where
# it is asked for; so is the wrong C++ ABI. -DSOURCE=<sources> -DWORK=<scratch folder> -DTORCH_ROOT=<LibTorch> -DCXX=<compiler>
function(configure)  # arguments go to CMake; sets status and output
  file(REMOVE_RECURSE ${WORK})
  execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK} -DCMAKE_CXX_COMPILER=${CXX} -DTORCH_ROOT=${TORCH_ROOT} ${ARGN}
                  RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  string(REGEX REPLACE "[ \n]+" " " out "${out} ${err}")  # CMake breaks lines
  set(status ${status} PARENT_SCOPE)
  set(output "${out}" PARENT_SCOPE)
endfunction()
function(expect text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "CMake must say '${text}'; status ${status}: ${output}")
  endif()
endfunction()

configure(-DTANDEM_WITH=OFF)
expect("minimal build: without HDF5 \\(weights and model files\\), LIBZIP [^\n]*CAIRO \\(plots\\)[^\n]*GTEST \\(unit tests\\)")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "a build without libraries must be configured: ${output}")
endif()

configure(-DTANDEM_WITH_HDF5=ON -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON)
expect("TANDEM_WITH_HDF5 is ON, and HDF5 is not found: install libhdf5-dev .*-DTANDEM_WITH_HDF5=OFF")
if(status EQUAL 0)
  message(FATAL_ERROR "a library that is asked for and missing must be an error: ${output}")
endif()

configure(-DCMAKE_CXX_FLAGS=-D_GLIBCXX_USE_CXX11_ABI=0)
expect("the C\\+\\+ ABI differs")
if(status EQUAL 0)
  message(FATAL_ERROR "the wrong ABI must be an error: ${output}")
endif()
file(REMOVE_RECURSE ${WORK})
