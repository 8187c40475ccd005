#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tandem/core/tensor.h"

namespace tandem::servers {

/// One part of a message: bytes, and what keeps them. Copies share them.
class Frame {
 public:
  Frame() = default;
  Frame(const void* data, std::size_t size, std::shared_ptr<const void> owner)
      : data_(static_cast<const char*>(data)), size_(size), owner_(std::move(owner)) {}
  static Frame of(std::string text);
  /// The memory of a contiguous tensor itself.
  static Frame of(const Tensor& values);

  const void* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::string_view text() const { return {data_, size_}; }
  /// As float32 values (n,), in place where the bytes lie at a multiple of 4, else copied.
  Tensor floats() const;

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::shared_ptr<const void> owner_;
};

}  // namespace tandem::servers
