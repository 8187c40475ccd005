// write_converted CASES OUT.cpp: the model of each conformance case as C++, each in a namespace of its own.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <vector>

#include "tandem/core/atomic_file.h"
#include "tandem/core/error.h"
#include "tandem/model/load_model.h"
#include "tandem/saving/cpp_network.h"

namespace fs = std::filesystem;

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: write_converted CASES OUT.cpp\n";
    return 2;
  }
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(argv[1])) {
    if (fs::exists(entry.path() / "model.keras") && fs::exists(entry.path() / "case.json"))
      names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  std::string text =
                  "#include <tandem/layers/catalog.h>\n#include <tandem/layers/layer_calls.h>\n#include "
                  "<tandem/layers/operation.h>\n"
                  "#include <tandem/light.h>\n#include <tandem/network/graph.h>\n\n"
                  "#include \"converted_cases.h\"\n\n",
              rows;
  for (const auto& name : names) {
    const auto model =
        tandem::load_model((fs::path(argv[1]) / name / "model.keras").string(), {.compile = false, .strategy = {}});
    tandem::saving::CppNetworkWriter writer;
    const std::string make = writer.write(*model.network());
    text += "namespace case_" + name + " {\nusing namespace tandem;\nusing namespace tandem::layers;\n\n" +
            writer.text() + "}  // namespace case_" + name + "\n\n";
    rows += "      {\"" + name + "\", case_" + name + "::" + make + "},\n";
  }
  text +=
      "namespace tandem::testing {\n\nconst std::vector<ConvertedCase>& converted_cases() {\n"
      "  static const std::vector<ConvertedCase> all{\n" +
      rows + "  };\n  return all;\n}\n\n}  // namespace tandem::testing\n";
  tandem::write_file_atomically(argv[2], text);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "write_converted: " << error.what() << "\n";
  return 1;
}
