#pragma once
#include <c10/util/StringUtil.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/distribution/peer_message.h"

namespace tandem::distribute {

/// What processes that train one model must be told alike, each by its name, so that an error can name what differs.
class NamedOptions {
 public:
  template <class... Values>
  void add(std::string name, const Values&... values) {
    items_.emplace_back(std::move(name), c10::str(values...));
  }
  /// Each entry of an object, "optimizer's momentum".
  void add_all(const std::string& owner, const Config& object);

  void put(PeerMessage& message) const;
  static NamedOptions take(PeerMessage& message);

  /// The first in which `other`, rank `rank`'s, differs from these, rank 0's: "rank 1 has epochs 3 and rank 0 has
  /// epochs 2"; nothing: they are alike.
  std::optional<std::string> difference(const NamedOptions& other, std::size_t rank) const;

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

}  // namespace tandem::distribute
