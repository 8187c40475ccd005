#include "tandem/cluster/tagged_lines.h"

namespace tandem::cluster {
namespace {

constexpr std::size_t kLongestLine = 64 << 10, kRemembered = 20;

}  // namespace

std::string TaggedLines::add(std::string_view piece) {
  std::string lines;
  for (const char c : piece) {
    if (c == '\n' || c == '\r') {
      if (c == '\n' || !open_.empty()) lines += take();
    } else {
      open_ += c;
      if (open_.size() == kLongestLine) lines += take();
    }
  }
  return lines;
}

std::string TaggedLines::rest() { return open_.empty() ? "" : take(); }

std::string TaggedLines::take() {
  last_.push_back(open_);
  if (last_.size() > kRemembered) last_.pop_front();
  std::string line = tag_ + open_ + "\n";
  open_.clear();
  return line;
}

}  // namespace tandem::cluster
