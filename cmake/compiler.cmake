# Compiler, linker and cache: what makes a clean build short.
find_program(TANDEM_CCACHE ccache)
if(TANDEM_CCACHE)
  # With a precompiled header ccache needs these to find a hit.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
                                  ${TANDEM_CCACHE})
  add_compile_options(-fpch-preprocess)
endif()

# The compiler's own linker. Debian 12's others link a test in a fifth of its 0.7 seconds, but one link by mold in some
# thousands never ends (libtbb), and lld keeps frames of empty functions, in which exceptions of their neighbours get
# lost.

# Libraries and programs share one precompiled header, so they must agree on this flag.
add_compile_options(-fPIC)
# at::parallel_for runs in parallel only where its header is compiled with OpenMP; the run time is the one that LibTorch
# brings, so the flag is not given to the linker.
add_compile_options(-fopenmp)
add_compile_options(-Wall -Wextra -Wpedantic -Wno-pragmas)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these inside its own std::string and std::optional at -O2.
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized -Wno-dangling-pointer)
endif()

if(TANDEM_SANITIZE)
  add_compile_options(-fsanitize=${TANDEM_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TANDEM_SANITIZE})
endif()
