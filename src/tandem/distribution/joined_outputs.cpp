#include "tandem/distribution/joined_outputs.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::distribute {
namespace {

struct OutputKind {
  at::ScalarType type;
  std::vector<int64_t> sizes;  // of a row
  bool operator==(const OutputKind&) const = default;
};

}  // namespace

Tensors joined_outputs(Peers& peers, Peers::Topic& topic, const Tensors& own, const std::vector<int64_t>& rows) {
  PeerMessage about;
  about.put(static_cast<double>(own.size()));
  for (const auto& output : own) {
    about.put(static_cast<double>(output.scalar_type()));
    about.put(std::vector<double>(output.sizes().begin(), output.sizes().end()));
  }
  std::vector<OutputKind> kinds;
  std::size_t first = 0;
  const auto messages = peers.gather(about, topic);
  for (std::size_t p = 0; p < messages.size(); ++p) {
    auto message = messages[p];
    std::vector<OutputKind> its;
    for (int64_t left = message.integer(); left > 0; --left) {
      const auto type = static_cast<at::ScalarType>(message.integer());
      const auto sizes = message.numbers();
      its.push_back({type, {sizes.begin() + 1, sizes.end()}});
    }
    if (rows[p] == 0) continue;
    if (kinds.empty()) {
      kinds = its;
      first = p;
    } else if (its != kinds) {
      throw InvalidArgument(c10::str("predict: outputs must have one type and shape of a row, but rank ", p,
                                     "'s differ from rank ", first, "'s"));
    }
  }
  Tensors joined;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    auto sizes = kinds[i].sizes;
    sizes.insert(sizes.begin(), 0);
    const Tensor here = own.empty() ? at::empty(sizes, kinds[i].type) : own[static_cast<int64_t>(i)];
    joined.push_back(peers.join_rows(here, rows));
  }
  return joined;
}

}  // namespace tandem::distribute
