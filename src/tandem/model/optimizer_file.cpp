#include "tandem/model/optimizer_file.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <set>
#include <span>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/saving/h5_text_lists.h"

namespace tandem {
namespace {

constexpr const char* kVariables = "optimizer/vars";
constexpr const char* kInnerVariables = "optimizer/inner_optimizer/vars";

/// A variable for one weight.
struct SlotPlace {
  std::size_t slot, weight;
};

// Keras makes the slots of one request weight by weight, and its optimizers make one request each, but for RMSprop,
// which makes one a slot, for the largest velocities of amsgrad, and for what stands around a rule.
std::vector<SlotPlace> keras_order(const Optimizer& optimizer, std::size_t weights) {
  const auto names = optimizer.slots();
  std::vector<SlotPlace> order;
  for (std::size_t first = 0; first < names.size();) {
    std::size_t end = first + 1;
    const bool around = names[first] == "average" || names[first] == "gradient_accumulator";
    if (optimizer.class_name() != "RMSprop" && !around) {
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

std::string own_name(const Optimizer& optimizer) {
  return optimizer.get_config().get("name", optimizer.class_name()).as_string();
}

/// Hands all variables on in Keras's order: put(value, place), without a place those in front of and behind the slots.
template <class Put>
void put_variables(const Optimizer& optimizer, std::size_t weights, const std::optional<StateDict>& state,
                   const Put& put) {
  // A LossScaleOptimizer has a count and a rate of its own, which it leaves at 0, and its numbers.
  if (!optimizer.initial_numbers().empty()) {
    put(at::scalar_tensor(0, at::kLong), nullptr);
    put(at::scalar_tensor(0, at::kFloat), nullptr);
    if (state) put(at::scalar_tensor(state->number("number/0"), at::kLong), nullptr);
    if (state) put(at::scalar_tensor(state->number("number/1"), at::kFloat), nullptr);
  }
  put(at::scalar_tensor(state ? state->integer("iterations") : 0, at::kLong), nullptr);
  if (!optimizer.rate().is_schedule()) put(at::scalar_tensor(optimizer.learning_rate(0), at::kFloat), nullptr);
  if (!state) return;
  const auto slots = optimizer.slots();
  for (const auto& place : keras_order(optimizer, weights)) {
    Tensor value = state->tensor(entry_name(slots, place));
    // Adafactor has no rows and columns of a vector; Keras holds their places with whole numbers.
    const bool is_place = optimizer.class_name() == "Adafactor" && value.dim() == 0 && slots[place.slot] != "velocity";
    put(is_place ? value.to(at::kInt) : value, &place);
  }
  for (const double value : optimizer.derived_values(state->integer("iterations")))
    put(at::scalar_tensor(value, at::kFloat), nullptr);
}

int64_t read_iterations(const saving::H5Group& variables, const std::string& path) {
  const auto iterations = variables.read(path, {}).item<double>();
  // Every whole number up to here is a double.
  if (!(iterations >= 0 && iterations <= 9007199254740992.0))
    throw DataError(c10::str(variables.where(), "/", path, ": must be a count of updates, is ", iterations));
  return static_cast<int64_t>(iterations);
}

/// `paths`: of the data sets in Keras's order.
std::optional<OptimizerProgress> read_variables(const Optimizer& optimizer, const std::vector<Weight>& trained,
                                                const saving::H5Group& variables,
                                                const std::vector<std::string>& all_paths) {
  const auto numbers = optimizer.initial_numbers().size();
  const bool has_numbers = numbers > 0 && all_paths.size() > 2 + head_size(optimizer);
  const std::size_t front = std::min(all_paths.size(), numbers == 0 ? 0 : has_numbers ? 2 + numbers : 2);
  const std::vector<std::string> paths(all_paths.begin() + static_cast<std::ptrdiff_t>(front), all_paths.end());
  const std::size_t count = paths.size(), head = head_size(optimizer);
  if (count == 0) return {};
  const auto order = keras_order(optimizer, trained.size());
  // Those behind the slots follow from the count of updates and are not read.
  const std::size_t all = head + order.size() + optimizer.derived_values(0).size();
  const bool begun = count > head || has_numbers || (count == head && read_iterations(variables, paths[0]) > 0);
  if (count < head || (begun && count != all)) {
    log_warning(c10::str(variables.where(), ": holds ", count, " variables, ", optimizer.class_name(),
                         " of this model has ", all, "; its state is passed over"));
    return {};
  }
  OptimizerProgress progress;
  if (head == 2) progress.rate = variables.read(paths[1], {}).item<double>();
  if (!begun) return progress;
  StateDict state;
  state.set("iterations", read_iterations(variables, paths[0]));
  for (std::size_t i = 0; i < numbers; ++i)
    state.set(c10::str("number/", i), variables.read(all_paths[2 + i], {}).item<double>());
  const auto slots = optimizer.slots();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto shape = optimizer.slot_shape(order[i].slot, trained[order[i].weight].shape());
    state.set(entry_name(slots, order[i]), variables.read(paths[head + i], shape));
  }
  progress.state = std::move(state);
  return progress;
}

}  // namespace

void write_optimizer(const Optimizer& optimizer, const std::vector<Weight>& trained,
                     const std::optional<StateDict>& state, const saving::H5Group& root) {
  const auto write = [&](const char* path, const std::string& name, std::span<const Tensor> values) {
    const saving::H5Group variables = root.create_group(path);
    variables.set_text("name", name);
    for (std::size_t i = 0; i < values.size(); ++i) variables.write(std::to_string(i), values[i]);
  };
  std::vector<Tensor> values;
  put_variables(optimizer, trained.size(), state,
                [&](const Tensor& value, const SlotPlace*) { values.push_back(value); });
  write(kVariables, own_name(optimizer), values);
  const std::size_t numbers = optimizer.initial_numbers().size();
  if (numbers == 0) return;
  // Keras lists the inner optimizer's variables once more as its own.
  const Config inner = optimizer.get_config().at("inner_optimizer").at("config");
  write(kInnerVariables, inner.at("name").as_string(), std::span(values).subspan(state ? 2 + numbers : 2));
}

std::optional<OptimizerProgress> read_optimizer(const Optimizer& optimizer, const std::vector<Weight>& trained,
                                                const saving::H5Group& root) {
  if (!root.has_group(kVariables)) return {};
  const saving::H5Group variables = root.group(kVariables);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < variables.names().size(); ++i) paths.push_back(std::to_string(i));
  return read_variables(optimizer, trained, variables, paths);
}

void write_legacy_optimizer(const Optimizer& optimizer, const std::vector<std::string>& names,
                            const std::optional<StateDict>& state, const saving::H5Group& group) {
  const auto slots = optimizer.slots();
  std::vector<std::string> paths;
  std::vector<Tensor> values;
  std::set<std::string> taken;
  put_variables(optimizer, names.size(), state, [&](const Tensor& value, const SlotPlace* place) {
    std::string name = values.empty()                         ? "iteration"
                       : values.size() < head_size(optimizer) ? "learning_rate"
                                                              : "variable";
    if (place) {
      name = c10::str(names[place->weight], "_", slots[place->slot]);
      std::replace(name.begin(), name.end(), '/', '_');
    }
    std::string path = c10::str(own_name(optimizer), "/", name);
    for (int i = 1; !taken.insert(path).second; ++i) path = c10::str(own_name(optimizer), "/", name, "_", i);
    paths.push_back(path);
    values.push_back(value);
  });
  saving::write_text_list(group, "weight_names", paths);
  for (std::size_t i = 0; i < paths.size(); ++i) group.write(paths[i], values[i]);
}

std::optional<OptimizerProgress> read_legacy_optimizer(const Optimizer& optimizer, const std::vector<Weight>& trained,
                                                       const saving::H5Group& group) {
  return read_variables(optimizer, trained, group, saving::read_text_list(group, "weight_names"));
}

}  // namespace tandem
