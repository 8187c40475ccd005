# tandem_embed(<target> <file> <symbol>): compiles the bytes of a file into the target, so that no path is needed at run time:
#     namespace tandem::embedded { extern const unsigned char <symbol>[]; extern const std::size_t <symbol>_size; }
# The source is written again only when the file (or this script) changes.
#
# The same file is the script that the build runs: cmake -DFILE=... -DSYMBOL=... -DOUTPUT=... -P embed.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  file(SIZE ${FILE} size)
  file(READ ${FILE} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REPEAT "0x..," 24 line)  # 24 bytes a line
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  get_filename_component(name ${FILE} NAME)
  file(WRITE ${OUTPUT} "// Written by cmake/embed.cmake from ${name}.
#include <cstddef>

namespace tandem::embedded {
extern const unsigned char ${SYMBOL}[];
extern const std::size_t ${SYMBOL}_size;
const unsigned char ${SYMBOL}[] = {
${bytes}};
const std::size_t ${SYMBOL}_size = ${size};
}  // namespace tandem::embedded
")
  return()
endif()

set(TANDEM_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(tandem_embed target file symbol)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFILE=${file} -DSYMBOL=${symbol} -DOUTPUT=${output} -P ${TANDEM_EMBED_SCRIPT}
    DEPENDS ${file} ${TANDEM_EMBED_SCRIPT}
    COMMENT "Embedding ${symbol}"
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${output})
endfunction()
