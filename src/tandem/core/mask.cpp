#include "tandem/core/mask.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem {
namespace {

// LibTorch lets a back end attach an object of its own to a tensor, which shallow copies share. The back ends that this
// library knows have none, so that the place is free for what belongs to the tensor and not to the call.
struct AttachedMask : c10::BackendMeta {
  explicit AttachedMask(Tensor mask) : mask(std::move(mask)) {}
  Tensor mask;
};

}  // namespace

Tensor mask_of(const Tensor& x) {
  if (!x.defined()) return {};
  const auto* attached = dynamic_cast<const AttachedMask*>(x.unsafeGetTensorImpl()->get_backend_meta());
  return attached ? attached->mask : Tensor();
}

void set_mask(const Tensor& x, const Tensor& mask) {
  if (!mask.defined()) {
    if (mask_of(x).defined()) x.unsafeGetTensorImpl()->set_backend_meta(nullptr);
    return;
  }
  if (mask.scalar_type() != at::kBool || mask.dim() > x.dim() || mask.sizes() != x.sizes().slice(0, mask.dim())) {
    throw InvalidArgument(c10::str("mask: must be bool, with the sizes of the first axes of a tensor of shape ",
                                   Shape::of(x.sizes().vec()), ", got ", mask.dtype().name(), " of shape ",
                                   Shape::of(mask.sizes().vec())));
  }
  x.unsafeGetTensorImpl()->set_backend_meta(c10::make_intrusive<AttachedMask>(mask));
}

Tensor with_mask_of(const Tensor& from, Tensor to) {
  const Tensor mask = mask_of(from);
  if (mask.defined() && !to.is_same(from)) set_mask(to, mask.to(to.device()));
  return to;
}

}  // namespace tandem
