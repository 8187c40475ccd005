// tandem convert IN OUT: a model, or its weights, in another kind of file, or as a C++ program.
#include <c10/util/StringUtil.h>

#include <CLI/CLI.hpp>

#include "commands.h"
#include "exit_status.h"
#include "model_argument.h"
#include "numbers.h"
#include "result_files.h"
#include "tandem/core/atomic_file.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/model/body.h"
#include "tandem/saving/cpp_program.h"

namespace tandem::cli {
namespace {

struct ConvertArguments {
  std::string from, to, weights;
  std::optional<int64_t> classes;
};

enum class OutputKind { model, weights, program };

OutputKind kind_of(const std::string& to) {
  const auto ends = [&](const char* ending) { return to.ends_with(ending); };
  if (ends(".weights.h5") || ends(".safetensors")) return OutputKind::weights;
  if (ends(".keras") || ends(".h5") || ends(".hdf5")) return OutputKind::model;
  if (ends(".cpp")) return OutputKind::program;
  throw InvalidArgument(
      c10::str("OUT: the file name must end in .keras, .h5, .weights.h5, .safetensors or .cpp, got '", to, "'"));
}

// The program, and what of the model it does not do.
std::string program_of(const Model& model, const std::string& from) {
  std::vector<std::string> remarks{"The model of " + from.substr(from.rfind('/') + 1) + "."};
  if (const auto& own = model.body().preprocessing(); own && !own->empty()) {
    remarks.emplace_back("What the model's file has done to inputs first is not in this program:");
    for (const auto& line : own->describe()) remarks.push_back("  " + line);
    log_warning("the program does not have the model's preprocessing; the head of the program says which");
  }
  return saving::cpp_program(*model.network(), remarks);
}

int convert(const ConvertArguments& a) {
  const OutputKind kind = kind_of(a.to);
  check_model(a.from);
  saved([&] { check_writable(a.to); });
  auto loaded = open_model(a.from, a.classes, {.compile = kind == OutputKind::model});
  auto& model = loaded.model;
  if (!a.weights.empty()) model.load_weights(a.weights);
  if (kind == OutputKind::program) {
    const std::string text = program_of(model, a.from);
    saved([&] { write_file_atomically(a.to, text); });
  } else {
    saved([&] { kind == OutputKind::weights ? model.save_weights(a.to) : model.save(a.to); });
  }
  log_info("wrote " + a.to);
  return kOk;
}

}  // namespace

void add_convert(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("convert", "Write a model or its weights as another kind of file");
  auto a = std::make_shared<ConvertArguments>();
  command->footer(
      "OUT by its ending: .keras or .h5, the whole model; .weights.h5 or .safetensors, its weights; .cpp, a C++ "
      "program\n"
      "that builds it.\n"
      "Example: tandem convert model.keras weights.safetensors");
  add_model(*command, a->from);
  command->add_option("OUT", a->to, "The file to write")->required();
  command->add_option("--weights", a->weights,
                      "Weights to load first: a .weights.h5, .safetensors, .h5 or .keras file");
  command->add_option("--classes", a->classes, "Classes of a zoo model (default: 10)")->transform(whole_number(1));
  command->callback([a, &run] { run = [a] { return convert(*a); }; });
}

}  // namespace tandem::cli
