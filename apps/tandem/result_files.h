#pragma once
#include <CLI/App.hpp>
#include <functional>
#include <string>

#include "tandem/callbacks/history.h"
#include "tandem/core/error.h"
#include "tandem/model/model.h"

namespace tandem::cli {

/// A result could not be written, or could not be if the work began.
class NotSaved : public Error {
 public:
  using Error::Error;
};

/// For use before the work; an empty name is none. Throws NotSaved where the plot cannot be written, InvalidArgument
/// where its ending is not known.
void check_plot_file(const std::string& path);
/// For use before the work whose result is written as JSON. Throws InvalidArgument in a build without nlohmann-json.
void check_json();
/// Runs `act`, which writes a file: its DataError becomes NotSaved.
void saved(const std::function<void()>& act);

/// The flags that name files for what a training gave.
struct ResultFiles {
  std::string plot, history, model, trace;

  void add_to(CLI::App& command);
  /// For use before the training. Throws NotSaved where a file cannot be written, InvalidArgument where its ending is
  /// not known.
  void check() const;
  /// Writes each file that it can. Throws NotSaved that names the others.
  void write(const Model& trained, const History& result, const std::string& title) const;
  /// The model's alone: in a process that does not lead it writes nothing, but brings what it has of the model.
  void write_model(const Model& trained) const;
};

}  // namespace tandem::cli
