#pragma once
#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/core/tensor.h"

namespace tandem::conformance {

/// What was different from Keras, a line each; empty when a case passes.
using Differences = std::vector<std::string>;

/// |got - want| <= abs + rel * |want|, element by element.
struct Tolerance {
  double abs = 1e-5;
  double rel = 1e-4;
};

/// One case that real Keras wrote: a folder with case.json and the files that it lists.
class CaseFolder {
 public:
  explicit CaseFolder(std::string path);

  const std::string& path() const { return path_; }
  const std::string& name() const { return name_; }
  std::string kind() const { return about_.at("kind").as_string(); }
  const Config& about() const { return about_; }
  Tolerance tolerance() const;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  bool has(const std::string& name) const;
  Config json(const std::string& name) const;
  Tensor array(const std::string& name) const;
  /// stem.npy, or stem0.npy, stem1.npy, ...
  Tensors arrays(const std::string& stem) const;

 private:
  std::string path_, name_;
  Config about_;
};

/// Says where `got` differs from `want` in shape or value; adds nothing when it does not. NaN equals NaN.
void compare(Differences& differences, const std::string& what, const Tensor& got, const Tensor& want,
             const Tolerance& tolerance);
void compare(Differences& differences, const std::string& what, double got, double want, const Tolerance& tolerance);

/// Numbers of a JSON value, nested lists as axes; true and false are 1 and 0, "nan", "inf" and "-inf" are what they
/// say.
Tensor to_tensor(const Config& value);
double to_number(const Config& value);

}  // namespace tandem::conformance
