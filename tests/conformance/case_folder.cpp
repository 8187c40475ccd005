#include "case_folder.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "tandem/core/error.h"
#include "tandem/data/npy.h"

namespace tandem::conformance {
namespace {

void flatten(const Config& value, std::size_t axis, std::vector<int64_t>& sizes, std::vector<double>& numbers) {
  if (!value.is_list()) {
    numbers.push_back(to_number(value));
    return;
  }
  const auto& items = value.as_list();
  if (sizes.size() <= axis) sizes.push_back(static_cast<int64_t>(items.size()));
  for (const auto& item : items) flatten(item, axis + 1, sizes, numbers);
}

}  // namespace

CaseFolder::CaseFolder(std::string path)
    : path_(std::move(path)), name_(std::filesystem::path(path_).filename().string()), about_(json("case.json")) {}

Tolerance CaseFolder::tolerance() const {
  const auto& t = about_.at("tolerance");
  return {t.at("abs").as_double(), t.at("rel").as_double()};
}

bool CaseFolder::has(const std::string& name) const { return std::filesystem::exists(file(name)); }

Config CaseFolder::json(const std::string& name) const {
  std::ifstream in(file(name));
  if (!in) throw DataError(c10::str(file(name), ": cannot be read"));
  std::ostringstream text;
  text << in.rdbuf();
  return Config::from_json(text.str());
}

Tensor CaseFolder::array(const std::string& name) const { return load_npy(file(name)); }

Tensors CaseFolder::arrays(const std::string& stem) const {
  if (has(stem + ".npy")) return array(stem + ".npy");
  Tensors all;
  for (int64_t i = 0; has(c10::str(stem, i, ".npy")); ++i) all.push_back(array(c10::str(stem, i, ".npy")));
  return all;
}

void compare(Differences& differences, const std::string& what, const Tensor& got, const Tensor& want,
             const Tolerance& tolerance) {
  if (!got.defined() || got.sizes() != want.sizes()) {
    std::ostringstream sizes;
    if (got.defined()) sizes << got.sizes();
    differences.push_back(c10::str(what, ": shape must be ", want.sizes(), ", is ",
                                   got.defined() ? sizes.str() : std::string("nothing")));
    return;
  }
  const Tensor a = got.detach().to(at::kDouble), b = want.to(at::kDouble);
  const Tensor same = ((a - b).abs() <= b.abs() * tolerance.rel + tolerance.abs) | (a == b) | (a.isnan() & b.isnan());
  if (same.all().item<bool>()) return;
  const Tensor wrong = same.logical_not().flatten().nonzero().flatten();
  const auto first = wrong[0].item<int64_t>();
  differences.push_back(c10::str(what, ": element ", first, " of ", want.sizes(), " must be ",
                                 b.flatten()[first].item<double>(), ", is ", a.flatten()[first].item<double>(), " (",
                                 wrong.numel(), " differ)"));
}

void compare(Differences& differences, const std::string& what, double got, double want, const Tolerance& tolerance) {
  compare(differences, what, at::scalar_tensor(got, at::kDouble), at::scalar_tensor(want, at::kDouble), tolerance);
}

double to_number(const Config& value) {
  if (value.is_bool()) return value.as_bool() ? 1 : 0;
  if (!value.is_string()) return value.as_double();
  const auto& text = value.as_string();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw DataError(c10::str("a number must be given, got '", text, "'"));
}

Tensor to_tensor(const Config& value) {
  std::vector<int64_t> sizes;
  std::vector<double> numbers;
  flatten(value, 0, sizes, numbers);
  return at::tensor(numbers, at::kDouble).reshape(sizes).to(at::kFloat);
}

}  // namespace tandem::conformance
