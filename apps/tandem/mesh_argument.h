#pragma once
#include <cstdint>
#include <string>

namespace tandem::cli {

/// The sizes of a mesh's axes; those that were not named are 1.
struct MeshAxes {
  int64_t data = 1, pipe = 1, tensor = 1;
};

/// Parses "data=2,pipe=1,tensor=2". Throws InvalidArgument on other text.
MeshAxes parse_mesh(const std::string& text);

}  // namespace tandem::cli
