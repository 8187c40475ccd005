#pragma once
#include <deque>
#include <string>
#include <string_view>

namespace tandem::cluster {

/// Turns what a program writes, in pieces as they come, into whole lines with a tag in front. Remembers the last ones.
class TaggedLines {
 public:
  explicit TaggedLines(std::string tag) : tag_(std::move(tag)) {}

  /// The lines that `piece` ends, with tag and line feed. A carriage return ends one too, so that a progress bar shows;
  /// a line longer than 64 KiB comes in parts.
  std::string add(std::string_view piece);
  /// What is left when the program has ended, as a line.
  std::string rest();
  /// The last lines, without tag, at most 20.
  const std::deque<std::string>& last() const { return last_; }

 private:
  std::string take();

  std::string tag_, open_;
  std::deque<std::string> last_;
};

}  // namespace tandem::cluster
