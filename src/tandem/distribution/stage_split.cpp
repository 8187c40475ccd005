#include "tandem/distribution/stage_split.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <limits>

#include "tandem/core/error.h"
#include "tandem/network/make_segment.h"

namespace tandem::distribute {
namespace {

[[noreturn]] void refuse_split(const std::string& must) { throw InvalidArgument(must); }

std::vector<std::string> layer_names_of(const FlatGraph& flat) {
  std::vector<std::string> names;
  for (const auto& step : flat.steps) names.push_back(step.layer->name());
  return names;
}

}  // namespace

void check_steps(std::size_t steps, std::size_t parts) {
  if (steps < parts)
    refuse_split(c10::str("a model of ", steps, " layers must have no more parts than that, got ", parts));
}

StepParts split_by_cost(const std::vector<double>& costs, std::size_t parts) {
  const std::size_t n = costs.size();
  check_steps(n, parts);
  std::vector<double> before(n + 1, 0);  // costs of the first steps
  for (std::size_t i = 0; i < n; ++i) before[i + 1] = before[i] + costs[i];
  // best[p][i]: the dearest part where the first i steps are p + 1 parts, the last of which begins at from[p][i].
  std::vector best(parts, std::vector<double>(n + 1, std::numeric_limits<double>::infinity()));
  std::vector from(parts, std::vector<std::size_t>(n + 1, 0));
  for (std::size_t i = 1; i <= n; ++i) best[0][i] = before[i];
  for (std::size_t p = 1; p < parts; ++p) {
    for (std::size_t i = p + 1; i <= n; ++i) {
      for (std::size_t j = p; j < i; ++j) {
        const double dearest = std::max(best[p - 1][j], before[i] - before[j]);
        if (dearest >= best[p][i]) continue;
        best[p][i] = dearest;
        from[p][i] = j;
      }
    }
  }
  StepParts part_of(n, 0);
  for (std::size_t p = parts, end = n; p-- > 0;) {
    const std::size_t begin = p == 0 ? 0 : from[p][end];
    std::fill(part_of.begin() + static_cast<std::ptrdiff_t>(begin), part_of.begin() + static_cast<std::ptrdiff_t>(end),
              p);
    end = begin;
  }
  return part_of;
}

std::vector<std::size_t> units_of(const FlatGraph& flat) {
  std::map<const Layer*, std::size_t> last_call;
  for (std::size_t i = 0; i < flat.steps.size(); ++i) {
    const auto weights = flat.steps[i].layer->weights();
    if (std::any_of(weights.begin(), weights.end(), [](const Weight& w) { return !w.trainable(); }))
      last_call[flat.steps[i].layer] = i;
  }
  std::vector<std::size_t> units;
  std::size_t unit = 0, last = 0;  // step of the present one
  for (std::size_t i = 0; i < flat.steps.size(); ++i) {
    if (i > last) {
      ++unit;
      last = i;
    }
    units.push_back(unit);
    if (const auto call = last_call.find(flat.steps[i].layer); call != last_call.end())
      last = std::max(last, call->second);
  }
  return units;
}

StepParts split_by_names(const FlatGraph& flat, const std::vector<std::string>& last_layers, std::size_t parts) {
  check_steps(flat.steps.size(), parts);
  if (last_layers.size() + 1 != parts) {
    refuse_split(c10::str("boundaries must name the last layer of each of the ", parts, " parts but the last, got ",
                          last_layers.size(), " names"));
  }
  StepParts part_of(flat.steps.size(), parts - 1);
  std::size_t begin = 0;
  for (std::size_t p = 0; p < last_layers.size(); ++p) {
    std::size_t end = 0;  // behind the last step of that layer
    for (std::size_t i = 0; i < flat.steps.size(); ++i) {
      if (flat.steps[i].layer->name() == last_layers[p]) end = i + 1;
    }
    if (end == 0) {
      const auto near = nearest_names(last_layers[p], layer_names_of(flat));
      refuse_split(c10::str("boundaries name layer '", last_layers[p], "', which the model has not",
                            near.empty() ? "" : c10::str("; did you mean '", near.front(), "'?")));
    }
    if (end <= begin || end == flat.steps.size()) {
      refuse_split(c10::str("boundaries must be in the order of the layers and leave each part one, but '",
                            last_layers[p], "' leaves none"));
    }
    std::fill(part_of.begin() + static_cast<std::ptrdiff_t>(begin), part_of.begin() + static_cast<std::ptrdiff_t>(end),
              p);
    begin = end;
  }
  return part_of;
}

CallParts parts_of_calls(const FlatGraph& flat, const StepParts& parts) {
  CallParts calls;
  for (std::size_t i = 0; i < parts.size(); ++i) calls[flat.steps[i].parts] = parts[i];
  return calls;
}

StepParts split_by_calls(const FlatGraph& flat, const CallParts& calls) {
  const auto maker = makers_of(flat);
  StepParts part_of;
  for (const auto& step : flat.steps) {
    std::size_t part = 0;
    if (const auto call = calls.find(step.parts); call != calls.end()) {
      part = call->second;
    } else {
      for (auto slot : step.reads) {
        if (maker[slot] < flat.steps.size()) part = std::max(part, part_of[maker[slot]]);
      }
    }
    part_of.push_back(part);
  }
  return part_of;
}

std::vector<Device> devices_in_scopes(const FlatGraph& flat) {
  std::vector<Device> devices;
  for (const auto& step : flat.steps) {
    if (step.device && std::find(devices.begin(), devices.end(), *step.device) == devices.end())
      devices.push_back(*step.device);
  }
  return devices;
}

StepParts split_by_scopes(const FlatGraph& flat, std::size_t parts) {
  const auto devices = devices_in_scopes(flat);
  if (devices.size() != parts)
    refuse_split(c10::str("device scopes must name a device for each of the ", parts, " parts, got ", devices.size()));
  const auto maker = makers_of(flat);
  StepParts part_of;
  for (const auto& step : flat.steps) {
    std::size_t earliest = 0;
    for (auto slot : step.reads) {
      if (maker[slot] < flat.steps.size()) earliest = std::max(earliest, part_of[maker[slot]]);
    }
    std::size_t part = earliest;
    if (step.device)
      part = static_cast<std::size_t>(std::find(devices.begin(), devices.end(), *step.device) - devices.begin());
    if (part < earliest) {
      refuse_split(c10::str("layer '", step.layer->name(), "' on ", step.device->to_string(),
                            " must not read what a later part makes"));
    }
    part_of.push_back(part);
  }
  return part_of;
}

}  // namespace tandem::distribute
