#include "tandem/saving/cpp_program.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/saving/cpp_network.h"

namespace tandem::saving {
namespace {

std::string file_names(const char* letter, std::size_t count) {
  if (count == 1) return c10::str(letter, ".npy");
  std::string names;
  for (std::size_t i = 0; i < count; ++i) names += c10::str(i == 0 ? "" : " ", letter, i, ".npy");
  return names;
}

// Names of files and settings must not end the comment that they stand in.
std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\\'; }, ' ');
  return text;
}

std::string main_function(const std::string& make, std::size_t inputs, std::size_t outputs) {
  const std::string usage = c10::str("[WEIGHTS [", file_names("X", inputs), " ", file_names("Y", outputs), "]]");
  const std::size_t first_output = 2 + inputs, all = first_output + outputs;
  std::string text =
      c10::str("int main(int argc, char** argv) try {\n  if (argc > 2 && argc != ", all,
               ") {\n    std::cerr << \"usage: \" << argv[0] << \" ", usage,
               "\\n\";\n    return 2;\n  }\n  Model model = ", make,
               "();\n  model.summary();\n  if (argc > 1) model.load_weights(argv[1]);\n  if (argc == ", all,
               ") {\n    const Tensors outputs = model.predict_all(Tensors{");
  for (std::size_t i = 0; i < inputs; ++i) text += c10::str(i == 0 ? "" : ", ", "load_npy(argv[", i + 2, "])");
  text += "});\n";
  for (std::size_t i = 0; i < outputs; ++i)
    text += c10::str("    save_npy(argv[", first_output + i, "], outputs[", i, "]);\n");
  return text +
         "  }\n  return 0;\n} catch (const Error& error) {\n  std::cerr << error.what() << \"\\n\";\n  return 1;\n}\n";
}

}  // namespace

std::string cpp_program(const Network& network, const std::vector<std::string>& remarks) {
  CppNetworkWriter writer;
  const std::string make = writer.write(network);
  const auto& body = writer.text();
  std::string text =
      "// Written by Tandem. Shows the model; with a weights file (.weights.h5, .safetensors, .keras, .h5) and .npy "
      "files "
      "it predicts.\n";
  for (const auto& remark : remarks) text += c10::str("// ", on_one_line(remark), "\n");
  if (body.find("layer_from_config(") != std::string::npos) text += "#include <tandem/layers/catalog.h>\n";
  if (body.find("call_in_graph(") != std::string::npos) text += "#include <tandem/layers/layer_calls.h>\n";
  if (body.find("operation_from_config(") != std::string::npos) text += "#include <tandem/layers/operation.h>\n";
  text += "#include <tandem/light.h>\n";
  if (body.find("static_cast<Graph&>") != std::string::npos) text += "#include <tandem/network/graph.h>\n";
  text += "\n#include <iostream>\n\nusing namespace tandem;\nusing namespace tandem::layers;\n\n";
  return text + body + main_function(make, network.input_shapes().size(), network.output_names().size());
}

}  // namespace tandem::saving
