#include "tandem/model/optimizer_file.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/log.h"

namespace tandem {
namespace {

constexpr const char* kVariables = "optimizer/vars";

/// A variable for one weight.
struct SlotPlace {
  std::size_t slot, weight;
};

// Keras makes the slots of one request weight by weight, and its optimizers make one request each, but for RMSprop,
// which makes one a slot, and for the largest velocities of amsgrad.
std::vector<SlotPlace> keras_order(const Optimizer& optimizer, std::size_t weights) {
  const auto names = optimizer.slots();
  std::vector<SlotPlace> order;
  for (std::size_t first = 0; first < names.size();) {
    std::size_t end = first + 1;
    if (optimizer.class_name() != "RMSprop") {
      while (end < names.size() && names[end] != "velocity_hat") ++end;
    }
    for (std::size_t weight = 0; weight < weights; ++weight) {
      for (std::size_t slot = first; slot < end; ++slot) order.push_back({slot, weight});
    }
    first = end;
  }
  return order;
}

// Variables in front of the slots: the count of updates and the rate.
std::size_t head_size(const Optimizer& optimizer) { return optimizer.rate().is_schedule() ? 1 : 2; }

std::string entry_name(const std::vector<std::string>& slots, const SlotPlace& place) {
  return c10::str(slots[place.slot], "/", place.weight);
}

int64_t read_iterations(const saving::H5Group& variables) {
  const auto iterations = variables.read("0", {}).item<double>();
  // Every whole number up to here is a double.
  if (!(iterations >= 0 && iterations <= 9007199254740992.0))
    throw DataError(c10::str(variables.where(), "/0: must be a count of updates, is ", iterations));
  return static_cast<int64_t>(iterations);
}

}  // namespace

void write_optimizer(const Optimizer& optimizer, const std::vector<Weight>& trained,
                     const std::optional<StateDict>& state, const saving::H5Group& root) {
  const saving::H5Group variables = root.create_group(kVariables);
  variables.set_text("name", optimizer.get_config().get("name", optimizer.class_name()).as_string());
  std::size_t next = 0;
  const auto write = [&](const Tensor& value) { variables.write(std::to_string(next++), value); };
  write(at::scalar_tensor(state ? state->integer("iterations") : 0, at::kLong));
  if (!optimizer.rate().is_schedule()) write(at::scalar_tensor(optimizer.learning_rate(0), at::kFloat));
  if (!state) return;
  const auto slots = optimizer.slots();
  for (const auto& place : keras_order(optimizer, trained.size())) write(state->tensor(entry_name(slots, place)));
}

std::optional<OptimizerProgress> read_optimizer(const Optimizer& optimizer, const std::vector<Weight>& trained,
                                                const saving::H5Group& root) {
  if (!root.has_group(kVariables)) return {};
  const saving::H5Group variables = root.group(kVariables);
  const std::size_t count = variables.names().size(), head = head_size(optimizer);
  if (count == 0) return {};
  const auto order = keras_order(optimizer, trained.size());
  const bool begun = count > head || (count == head && read_iterations(variables) > 0);
  if (count < head || (begun && count != head + order.size())) {
    log_warning(c10::str(variables.where(), ": holds ", count, " variables, ", optimizer.class_name(),
                         " of this model has ", head + order.size(), "; its state is passed over"));
    return {};
  }
  OptimizerProgress progress;
  if (head == 2) progress.rate = variables.read("1", {}).item<double>();
  if (!begun) return progress;
  StateDict state;
  state.set("iterations", read_iterations(variables));
  const auto slots = optimizer.slots();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Tensor& weight = trained[order[i].weight].variable().value;
    state.set(entry_name(slots, order[i]), variables.read(std::to_string(head + i), Shape::of(weight.sizes().vec())));
  }
  progress.state = std::move(state);
  return progress;
}

}  // namespace tandem
