#pragma once
#include <set>
#include <string>

namespace tandem::saving {

/// Gives variables and functions of a program names that differ: a layer's name where C++ can have it, else a similar
/// one.
class CppNames {
 public:
  CppNames();
  std::string unique(const std::string& wish);

 private:
  std::set<std::string> taken_;
};

}  // namespace tandem::saving
