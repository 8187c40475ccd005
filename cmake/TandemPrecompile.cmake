# tandem_precompile(<target>...): parses <tandem/tandem.h>, and with it <torch/torch.h>, once for all these targets, which then
# compile in a quarter of the time. They must be compiled with the same options. The header is given to the compiler from the
# outside; g++ would not take a precompiled <torch/torch.h> that tandem.h includes.
function(tandem_precompile first)
  target_precompile_headers(${first} PRIVATE <tandem/tandem.h>)
  foreach(target ${ARGN})
    target_precompile_headers(${target} REUSE_FROM ${first})
  endforeach()
endfunction()
