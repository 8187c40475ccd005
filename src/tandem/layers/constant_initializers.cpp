#include "tandem/layers/constant_initializers.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::initializers {
namespace {

class ZerosInitializer : public Initializer {
 public:
  Tensor operator()(const Shape& shape, const RandomStream&) const override { return at::zeros(shape.sizes()); }
  std::string class_name() const override { return "Zeros"; }
};

class OnesInitializer : public Initializer {
 public:
  Tensor operator()(const Shape& shape, const RandomStream&) const override { return at::ones(shape.sizes()); }
  std::string class_name() const override { return "Ones"; }
};

class ConstantInitializer : public Initializer {
 public:
  explicit ConstantInitializer(double value) : value_(value) {}
  Tensor operator()(const Shape& shape, const RandomStream&) const override {
    return at::full(shape.sizes(), value_, at::kFloat);
  }
  std::string class_name() const override { return "Constant"; }
  Config get_config() const override { return Config::object({{"value", value_}}); }

 private:
  double value_;
};

class IdentityInitializer : public Initializer {
 public:
  explicit IdentityInitializer(double gain) : gain_(gain) {}
  Tensor operator()(const Shape& shape, const RandomStream&) const override {
    if (shape.rank() != 2)
      throw InvalidArgument(c10::str("Identity initializer: the weight must have rank 2, got shape ", shape));
    return at::eye(shape[0], shape[1]).mul_(gain_);
  }
  std::string class_name() const override { return "Identity"; }
  Config get_config() const override { return Config::object({{"gain", gain_}}); }

 private:
  double gain_;
};

}  // namespace

Zeros::Zeros() : Handle(std::make_shared<ZerosInitializer>()) {}
Ones::Ones() : Handle(std::make_shared<OnesInitializer>()) {}
Constant::Constant(double value) : Handle(std::make_shared<ConstantInitializer>(value)) {}
Identity::Identity(double gain) : Handle(std::make_shared<IdentityInitializer>(gain)) {}

}  // namespace tandem::initializers
