# tandem_import_libtorch(<root> <built with> <problem>)
# Makes the imported target Tandem::libtorch of the LibTorch in <root>, a folder with include/ and lib/. What is wrong with it
# is put into the variable <problem> as one plain sentence, which stays empty when all is well. <built with>: the minor version
# that it must have, such as 2.15, or "" for any from 2.11 on. Tandem_LIBTORCH_VERSION becomes the version found.
#
# LibTorch's own TorchConfig.cmake asks for CUDA tools even of a program that uses only the CPU part, so the two CPU libraries
# are imported by path. This file serves Tandem's own build and, installed, the programs that use it.
function(tandem_import_libtorch root built_with problem)
  set(${problem} "" PARENT_SCOPE)

  if(NOT CMAKE_CXX_COMPILER_LOADED)
    set(${problem} "the project must enable the language CXX before find_package(Tandem)" PARENT_SCOPE)
    return()
  endif()
  foreach(file include/ATen/ATen.h lib/libtorch_cpu.so lib/libc10.so)
    if(NOT EXISTS ${root}/${file})
      set(${problem} "TORCH_ROOT must be a folder of LibTorch 2.11 or newer, or pip's torch folder, that holds ${file}; '${root}' does \
not. Pass -DTORCH_ROOT=<folder>" PARENT_SCOPE)
      return()
    endif()
  endforeach()

  tandem_libtorch_version(${root} version)
  set(Tandem_LIBTORCH_VERSION ${version} PARENT_SCOPE)
  if(version VERSION_LESS 2.11)
    set(${problem} "LibTorch must be 2.11 or newer; TORCH_ROOT '${root}' holds '${version}'" PARENT_SCOPE)
    return()
  endif()
  if(built_with AND NOT version VERSION_EQUAL built_with)
    set(${problem} "Tandem was built with LibTorch ${built_with}, and TORCH_ROOT '${root}' holds ${version}. LibTorch's C++ interface \
differs between the two: pass -DTORCH_ROOT=<folder of LibTorch ${built_with}>, or build Tandem with this one" PARENT_SCOPE)
    return()
  endif()

  tandem_check_abi(${root} abi_problem)
  tandem_check_needed(${root} needed_problem)
  if(abi_problem OR needed_problem)
    set(${problem} "${abi_problem}${needed_problem}" PARENT_SCOPE)
    return()
  endif()
  find_package(Threads REQUIRED)  # seen in this directory only, unlike the target below
  if(TARGET Tandem::libtorch)
    return()
  endif()
  add_library(Tandem::libtorch INTERFACE IMPORTED GLOBAL)
  target_include_directories(Tandem::libtorch INTERFACE ${root}/include ${root}/include/torch/csrc/api/include)
  target_link_libraries(Tandem::libtorch INTERFACE ${root}/lib/libtorch_cpu.so ${root}/lib/libc10.so)
  # The two need no CUDA library of the wheel's, though libraries beside them do.
  target_link_options(Tandem::libtorch INTERFACE -Wl,-rpath,${root}/lib -Wl,--unresolved-symbols=ignore-in-shared-libs)
  target_link_libraries(Tandem::libtorch INTERFACE Threads::Threads)
  # The wheel brings its own OpenMP run time; a second one in the process would mean two thread pools.
  file(GLOB gomp ${root}/lib/libgomp*.so*)
  if(gomp)
    list(GET gomp 0 gomp)
    target_link_libraries(Tandem::libtorch INTERFACE ${gomp})
  endif()
endfunction()

# Major and minor: 2.15.
function(tandem_libtorch_version root out)
  set(found "")
  foreach(header include/torch/headeronly/version.h include/torch/csrc/api/include/torch/version.h)
    if(NOT found AND EXISTS ${root}/${header})
      file(STRINGS ${root}/${header} found REGEX "define TORCH_VERSION_M(AJOR|INOR) ")
    endif()
  endforeach()
  string(REGEX REPLACE "[^0-9;]" "" found "${found}")
  list(JOIN found "." found)
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# std::string has two ABIs in GNU's library. Programs, Tandem and LibTorch must agree, else the linker fails on names that do
# not show why.
function(tandem_check_abi root problem)
  set(${problem} "" PARENT_SCOPE)
  # A function that takes a std::string and that every LibTorch exports.
  file(STRINGS ${root}/lib/libc10.so symbols REGEX "^_ZN3c106detail23torchInternalAssertFailEPKcS2_jS2_RK" LIMIT_COUNT 1)
  set(theirs 1)
  if(symbols AND NOT symbols MATCHES "__cxx11")
    set(theirs 0)
  endif()

  get_directory_property(definitions COMPILE_DEFINITIONS)
  get_directory_property(options COMPILE_OPTIONS)
  list(TRANSFORM definitions PREPEND -D)
  set(flags ${definitions} ${options})
  list(FILTER flags EXCLUDE REGEX "\\$<")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/tandem_abi)
  file(WRITE ${folder}/abi.cpp "#include <string>
#if !defined(_GLIBCXX_USE_CXX11_ABI) || _GLIBCXX_USE_CXX11_ABI != ${theirs}
#error TANDEM_OTHER_ABI
#endif
int compiled;
")
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  unset(tandem_abi_agrees CACHE)
  try_compile(tandem_abi_agrees ${folder} SOURCES ${folder}/abi.cpp COMPILE_DEFINITIONS ${flags} OUTPUT_VARIABLE output)
  unset(tandem_abi_agrees CACHE)
  if(output MATCHES "#error TANDEM_OTHER_ABI|error: TANDEM_OTHER_ABI")
    set(${problem} "the C++ ABI differs: LibTorch in '${root}' was built with _GLIBCXX_USE_CXX11_ABI=${theirs}, this project is compiled \
with another. Look for _GLIBCXX_USE_CXX11_ABI in CMAKE_CXX_FLAGS and the compile definitions, and for -stdlib=libc++" PARENT_SCOPE)
  endif()
endfunction()

# A CUDA wheel of LibTorch needs a few CUDA libraries even where there is no GPU; pip installs them beside it.
function(tandem_check_needed root problem)
  set(${problem} "" PARENT_SCOPE)
  find_program(TANDEM_LDD ldd)
  mark_as_advanced(TANDEM_LDD)
  if(NOT TANDEM_LDD)
    return()
  endif()
  execute_process(COMMAND ${TANDEM_LDD} ${root}/lib/libtorch_cpu.so OUTPUT_VARIABLE needed ERROR_QUIET)
  string(REGEX MATCHALL "[^ \t\n]+ => not found" missing "${needed}")
  if(missing)
    list(TRANSFORM missing REPLACE " => not found" "")
    list(JOIN missing ", " missing)
    set(${problem} "LibTorch in '${root}' needs ${missing}, which this machine does not have. For a CUDA wheel: install NVIDIA's \
wheels (cuda-toolkit[cudart,cupti] of the same version) beside it, or take a CPU build of LibTorch" PARENT_SCOPE)
  endif()
endfunction()
