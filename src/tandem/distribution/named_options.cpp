#include "tandem/distribution/named_options.h"

#include <algorithm>

namespace tandem::distribute {

void NamedOptions::add_all(const std::string& owner, const Config& object) {
  for (const auto& [name, value] : object.as_object()) add(owner + "'s " + name, value.shown());
}

void NamedOptions::put(PeerMessage& message) const {
  message.put(static_cast<double>(items_.size()));
  for (const auto& [name, value] : items_) {
    message.put(name);
    message.put(value);
  }
}

NamedOptions NamedOptions::take(PeerMessage& message) {
  NamedOptions options;
  for (int64_t left = message.integer(); left > 0; --left) {
    auto name = message.text();
    options.items_.emplace_back(std::move(name), message.text());
  }
  return options;
}

std::optional<std::string> NamedOptions::difference(const NamedOptions& other, std::size_t rank) const {
  for (std::size_t i = 0; i < std::max(items_.size(), other.items_.size()); ++i) {
    const auto text = [i](const NamedOptions& options) {
      return i < options.items_.size() ? options.items_[i].first + " " + options.items_[i].second : "nothing more";
    };
    if (text(*this) != text(other))
      return c10::str("rank ", rank, " has ", text(other), " and rank 0 has ", text(*this));
  }
  return {};
}

}  // namespace tandem::distribute
