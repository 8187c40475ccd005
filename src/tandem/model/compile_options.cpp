#include "tandem/model/compile_options.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem {

LossArgument LossArgument::by_output(std::vector<Handle<Loss>> losses) {
  LossArgument argument;
  argument.losses_ = std::move(losses);
  return argument;
}

LossArgument LossArgument::by_name(std::vector<std::pair<std::string, Handle<Loss>>> losses) {
  LossArgument argument;
  argument.named_ = std::move(losses);
  return argument;
}

std::vector<std::shared_ptr<const Loss>> LossArgument::resolve(const std::vector<std::string>& outputs) const {
  std::vector<std::shared_ptr<const Loss>> resolved;
  if (!named_.empty()) {
    for (const auto& [name, loss] : named_) {
      if (std::find(outputs.begin(), outputs.end(), name) == outputs.end())
        throw_unknown_name("compile: output", name, outputs);
    }
    for (const auto& output : outputs) {
      const auto found =
          std::find_if(named_.begin(), named_.end(), [&](const auto& item) { return item.first == output; });
      if (found == named_.end() || found->second.empty())
        throw InvalidArgument(c10::str("compile: output '", output, "' must have a loss, got none"));
      resolved.push_back(found->second.get());
    }
    return resolved;
  }
  if (losses_.size() == 1) {
    const std::shared_ptr<const Loss> loss = losses_.front().get();
    resolved.assign(outputs.size(), loss);
    return resolved;
  }
  if (losses_.size() != outputs.size()) {
    throw InvalidArgument(c10::str("compile: a model with ", outputs.size(),
                                   " outputs must get one loss or as many, got ", losses_.size()));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (losses_[i].empty())
      throw InvalidArgument(c10::str("compile: output '", outputs[i], "' must have a loss, got none"));
    resolved.push_back(losses_[i].get());
  }
  return resolved;
}

MetricsArgument MetricsArgument::by_output(std::vector<List> metrics) {
  MetricsArgument argument;
  argument.by_output_ = std::move(metrics);
  return argument;
}

MetricsArgument MetricsArgument::by_name(std::vector<std::pair<std::string, List>> metrics) {
  MetricsArgument argument;
  argument.named_ = std::move(metrics);
  return argument;
}

void MetricsArgument::drop_output_prefixes(const std::vector<std::string>& outputs) {
  const auto drop = [](List& metrics, const std::string& output) {
    for (auto& metric : metrics) {
      if (metric.object() && metric.object()->name().starts_with(output + "_"))
        metric.object()->set_name(metric.object()->name().substr(output.size() + 1));
    }
  };
  for (std::size_t i = 0; i < by_output_.size() && i < outputs.size(); ++i) drop(by_output_[i], outputs[i]);
  for (auto& [output, metrics] : named_) drop(metrics, output);
}

std::vector<MetricsArgument::List> MetricsArgument::resolve(const std::vector<std::string>& outputs,
                                                            const std::string& argument) const {
  std::vector<List> resolved(outputs.size());
  if (outputs.size() == 1 && named_.empty()) {
    resolved.front() = list_;
  } else if (!list_.empty()) {
    if (list_.size() != outputs.size()) {
      throw InvalidArgument(c10::str("compile: ", argument, " of a model with ", outputs.size(),
                                     " outputs must be a map from output names, or one metric each, got ",
                                     list_.size()));
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) resolved[i].push_back(list_[i]);
  }
  if (!by_output_.empty()) {
    if (by_output_.size() != outputs.size()) {
      throw InvalidArgument(c10::str("compile: ", argument, " of a model with ", outputs.size(),
                                     " outputs must have as many lists, got ", by_output_.size()));
    }
    resolved = by_output_;
  }
  for (const auto& [name, metrics] : named_) {
    const auto found = std::find(outputs.begin(), outputs.end(), name);
    if (found == outputs.end()) throw_unknown_name("compile: output", name, outputs);
    resolved[static_cast<std::size_t>(found - outputs.begin())] = metrics;
  }
  for (const auto& metrics : resolved) {
    for (const auto& metric : metrics) {
      if (!metric.object())
        Metric::make_for(metric.name(), {Shape::kUnknown, 2}, {Shape::kUnknown, 2});  // an unknown name fails here
    }
  }
  return resolved;
}

}  // namespace tandem
