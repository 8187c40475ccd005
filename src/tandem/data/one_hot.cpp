#include "tandem/data/one_hot.h"

#include <c10/util/StringUtil.h>

#include <memory>

#include "tandem/core/error.h"
#include "tandem/data/to_categorical.h"

namespace tandem::data {
namespace {

class OneHotTransform : public Transform {
 public:
  explicit OneHotTransform(int64_t classes) : classes_(classes) {
    if (classes <= 0) throw InvalidArgument(c10::str("OneHot: the number of classes must be positive, got ", classes));
  }

  Batch apply(Batch batch, std::span<const RandomStream>) const override {
    for (Tensor& y : batch.y) y = to_categorical(y, classes_);
    return batch;
  }

  std::string class_name() const override { return "OneHot"; }

 private:
  int64_t classes_;
};

}  // namespace

OneHot::OneHot(int64_t classes) : TransformHandle(std::make_shared<OneHotTransform>(classes)) {}

}  // namespace tandem::data
