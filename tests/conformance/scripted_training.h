#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/callbacks/callback.h"
#include "tandem/model/model.h"

namespace tandem::conformance {

/// Logs of each epoch by name, in place of those that training gives; nothing: that epoch has no such log.
using Script = std::vector<std::pair<std::string, std::vector<std::optional<double>>>>;

/// {"val_loss": [1.0, null, "nan"]} of a case.
Script read_script(const Config& script);

/// A model with one weight and no gradient on zeros; `mark` makes it the epoch's number.
Model model_with_marker(double rate, const std::vector<std::string>& metrics = {});
void mark(TrainedModel& model, int64_t epoch);
double marker(const Model& model);

/// Last in the list of callbacks: what the others left behind.
class Watch : public Callback {
 public:
  explicit Watch(std::string folder = {}) : folder_(std::move(folder)) {}
  void on_epoch_begin(int64_t epoch, Logs& logs) override;
  void on_epoch_end(int64_t epoch, Logs& logs) override;

  std::vector<std::pair<int64_t, double>> begun;  // epoch, learning rate
  std::vector<double> rates;                      // by epoch
  std::vector<std::vector<std::string>> files;    // in the folder, by epoch

 private:
  std::string folder_;
};

struct ScriptedOptions {
  std::string folder = {};  // to watch
  double rate = 0.1;
  int64_t initial_epoch = 0;
  int64_t steps = 1;  // an epoch
  std::vector<std::string> metrics = {};
};

struct Trained {
  Model model;
  History history;
  std::shared_ptr<Watch> watch;
};

/// Trains with `callback` between the script and the watch. The weight is the epoch's number from each epoch's end on.
Trained train_by_script(const Script& script, const Handle<Callback>& callback, const ScriptedOptions& options = {});

}  // namespace tandem::conformance
