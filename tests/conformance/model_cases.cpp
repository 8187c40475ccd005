// Kinds layer, model, loss and optimizer: a .keras file loads, predicts, trains and is written as Keras has it.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "check_case.h"
#include "fit_settings.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/recurrent_layer.h"
#include "tandem/model/load_model.h"
#include "tandem/model/model.h"
#include "trained_weights.h"

namespace tandem::conformance {
namespace {

struct Data {
  Tensors x, y;
  int64_t batch_size;
  int64_t epochs;
};

void compare_predictions(Differences& differences, const CaseFolder& folder, Model& model, const Data& data,
                         const std::string& stem) {
  const auto want = folder.arrays(stem);
  const auto got = model.predict_all(data::TensorDataset(data.x), {.batch_size = data.batch_size});
  if (got.size() != want.size())
    differences.push_back(c10::str(stem, ": must have ", want.size(), " outputs, has ", got.size()));
  for (int64_t i = 0; i < std::min(got.size(), want.size()); ++i)
    compare(differences, c10::str(stem, " ", i), got[i], want[i], folder.tolerance());
}

// The other files that some cases come in hold the same weights.
void check_other_files(Differences& differences, const CaseFolder& folder, const Data& data) {
  const auto note = [&](const std::string& file, Model model) {
    Differences found;
    compare_predictions(found, folder, model, data, "predict");
    for (const auto& line : found) differences.push_back(c10::str(file, ": ", line));
  };
  if (folder.has("legacy.h5")) note("legacy.h5", load_model(folder.file("legacy.h5")));
  if (!folder.has("model.weights.h5")) return;
  auto model = load_model(folder.file("model.keras"));
  std::vector<Tensor> zeros;
  for (const auto& w : model.get_weights()) zeros.push_back(at::zeros_like(w));
  model.set_weights(zeros);
  model.load_weights(folder.file("model.weights.h5"));
  note("model.weights.h5", model);
}

Tensors rows(const Tensors& all, int64_t begin, int64_t end) {
  Tensors part;
  for (const auto& t : all) part.push_back(t.slice(0, begin, std::min(end, t.size(0))));
  return part;
}

// Batch by batch: the loss of every step, then the weights.
void check_steps(Differences& differences, const CaseFolder& folder, Model model, const Data& data) {
  const auto settings = read_fit_settings(folder);
  const Tensor weights = folder.has("sample_weight.npy") ? folder.array("sample_weight.npy") : Tensor();
  std::vector<double> losses;
  layers::reset_states(model);  // as the generator does; fit does it by itself
  for (int64_t epoch = 0; epoch < data.epochs; ++epoch) {
    for (int64_t begin = 0; begin < data.x[0].size(0); begin += data.batch_size) {
      const int64_t end = begin + data.batch_size;
      const auto logs =
          model.train_on_batch(rows(data.x, begin, end), rows(data.y, begin, end),
                               {.sample_weight = weights.defined() ? rows(weights, begin, end).front() : Tensor(),
                                .class_weight = settings.class_weight});
      losses.push_back(logs["loss"]);
    }
  }
  compare(differences, "losses", at::tensor(losses), folder.array("losses.npy"), folder.tolerance());
  // Only fit ends by writing an optimizer's averages over the weights.
  if (folder.about().at("optimizer").at("config").get("use_ema", false).as_bool()) return;
  compare_trained_weights(differences, folder, model);
  compare_predictions(differences, folder, model, data, "predict_after");
}

void check_fit(Differences& differences, const CaseFolder& folder, Model model, const Data& data) {
  auto options = read_fit_settings(folder);
  options.batch_size = data.batch_size;
  options.epochs = data.epochs;
  options.shuffle = false;
  options.verbose = 0;
  const auto history = model.fit(data.x, data.y, options);
  compare_history(differences, history, folder.json("history.json"), folder.tolerance());
  compare_trained_weights(differences, folder, model);
  compare_predictions(differences, folder, model, data, "predict_after");
}

// A copy whose replicas are `devices` CPU devices.
Model load(const CaseFolder& folder, int64_t devices) {
  if (devices == 1) return load_model(folder.file("model.keras"));
  std::vector<Device> places;
  for (int64_t i = 0; i < devices; ++i) places.emplace_back(c10::str("cpu:", i));
  return load_model(folder.file("model.keras"), {.strategy = distribute::Mirrored({.devices = Devices::of(places)})});
}

bool is_normalised_by_replica(const Layer& layer) {
  if (layer.class_name() == "BatchNormalization") return true;
  const auto children = layer.children();
  return std::any_of(children.begin(), children.end(), [](const auto& c) { return is_normalised_by_replica(*c); });
}

}  // namespace

Differences check_model_case(const CaseFolder& folder, int64_t devices) {
  Differences differences;
  const auto& about = folder.about();
  const Data data{folder.arrays("x"), folder.arrays("y"), about.at("batch_size").as_int(), about.at("epochs").as_int()};
  auto model = load(folder, devices);
  compare_predictions(differences, folder, model, data, "predict");
  compare_config(differences, folder, model);
  if (devices == 1) check_other_files(differences, folder, data);
  if (data.epochs == 0) return differences;
  // Replicas normalise by their own rows, so that only one device has Keras's numbers in training.
  if (devices > 1 && is_normalised_by_replica(*model.network())) return differences;
  check_steps(differences, folder, model, data);
  check_fit(differences, folder, load(folder, devices), data);
  return differences;
}

}  // namespace tandem::conformance
