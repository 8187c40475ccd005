#pragma once
#include <ATen/core/Tensor.h>

#include <initializer_list>
#include <utility>
#include <vector>

namespace tandem {

using Tensor = at::Tensor;

/// A list of tensors that is built from one tensor, a braced list or a vector: `f(x)`, `f({x, y})` and `f(v)` all work.
class Tensors {
 public:
  Tensors() = default;
  Tensors(const Tensor& one) : items_{one} {}
  Tensors(Tensor&& one) { items_.push_back(std::move(one)); }
  Tensors(std::initializer_list<Tensor> items) : items_(items) {}
  Tensors(std::vector<Tensor> items) : items_(std::move(items)) {}

  bool empty() const { return items_.empty(); }
  int64_t size() const { return static_cast<int64_t>(items_.size()); }
  const Tensor& operator[](int64_t i) const { return items_[static_cast<std::size_t>(i)]; }
  Tensor& operator[](int64_t i) { return items_[static_cast<std::size_t>(i)]; }
  const Tensor& front() const { return items_.front(); }
  void push_back(Tensor t) { items_.push_back(std::move(t)); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  const std::vector<Tensor>& vector() const { return items_; }

 private:
  std::vector<Tensor> items_;
};

}  // namespace tandem
