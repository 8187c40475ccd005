#include "stand_in.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/library.h>

#include <cstdio>
#include <utility>

#include "stand_in_memory.h"
#include "stand_in_order.h"
#include "tandem/core/device.h"

namespace tandem::testing {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

c10::DispatchKeySet keys() { return c10::DispatchKeySet(c10::DispatchKey::PrivateUse1); }

// "A device" is the current one.
std::optional<at::Device> named(const std::optional<at::Device>& device) {
  return device && device->has_index() ? device : std::nullopt;
}

Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> type, std::optional<at::Layout>,
             std::optional<at::Device> device, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  const c10::OptionalDeviceGuard guard(named(device));
  return at::detail::empty_generic(sizes, &stand_in_memory(), keys(), c10::dtype_or_default(type), format);
}

Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> type,
                     std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>) {
  const c10::OptionalDeviceGuard guard(named(device));
  return at::detail::empty_strided_generic(sizes, strides, &stand_in_memory(), keys(), c10::dtype_or_default(type));
}

c10::Stream current_stream(const at::Device& device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

// An operation that copies to the CPU and back is one kernel of a GPU: the host waits for nothing.
thread_local bool within_operation = false;

class OperationScope {
 public:
  OperationScope() : outer_(std::exchange(within_operation, true)) {}
  ~OperationScope() { within_operation = outer_; }

 private:
  bool outer_;
};

Tensor copy_from(const Tensor& from, const Tensor& to, bool non_blocking) {
  // As CUDA does it: between two devices the current streams of both wait for one another before and after.
  const bool between = !from.is_cpu() && !to.is_cpu() && from.device() != to.device();
  const auto meet = [&] {
    c10::Event there(from.device().type()), here(from.device().type());
    there.record(current_stream(from.device()));
    here.record(current_stream(to.device()));
    there.block(current_stream(to.device()));
    here.block(current_stream(from.device()));
  };
  if (between) meet();
  note_use(from, false, "copy");
  note_use(to, true, "copy");
  if (between) meet();
  if (!within_operation && to.is_cpu() && non_blocking && to.is_pinned()) {
    // It arrives no earlier than the host knows.
    to.zero_();
    when_host_waited(current_stream(from.device()), [to, value = opened(from).clone()] { to.copy_(value); });
    return to;
  }
  opened(to).copy_(opened(from));
  if (within_operation) return to;
  // As CUDA has it: the host waits for copies from and to its memory unless it asked not to, and even then where that
  // memory may be moved by the system while it is written.
  if (to.is_cpu()) note_host_waited(current_stream(from.device()));
  if (from.is_cpu() && !non_blocking) note_host_waited(current_stream(to.device()));
  return to;
}

const Tensor& resized(const Tensor& tensor, at::IntArrayRef sizes, std::optional<at::MemoryFormat> format) {
  const auto like = at::empty(sizes, tensor.options(), format);
  tensor.unsafeGetTensorImpl()->set_storage_keep_dtype(like.storage());
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(), 0);
  return tensor;
}

Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
  if (from.sizes() != to.sizes()) resized(to, from.sizes(), std::nullopt);
  return copy_from(from, to, false);
}

at::Scalar item(const Tensor& tensor) {
  note_use(tensor, false, "item");
  note_host_waited(current_stream(tensor.device()));
  return opened(tensor).item();
}

// Row-major: what LibTorch's kernels for a small image alone want.
Tensor in_rows(const Tensor& tensor) { return opened(tensor).clone(at::MemoryFormat::Contiguous); }

Tensor convolution(const Tensor& x, const Tensor& kernel, const OptionalTensor& bias, at::IntArrayRef stride,
                   at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed, at::IntArrayRef output_padding,
                   int64_t groups) {
  for (const auto& tensor : {x, kernel, bias.value_or(Tensor())}) note_use(tensor, false, "convolution");
  const OptionalTensor there = bias && bias->defined() ? OptionalTensor(opened(*bias)) : OptionalTensor();
  return at::convolution(in_rows(x), in_rows(kernel), there, stride, padding, dilation, transposed, output_padding,
                         groups)
      .to(x.device(), /*non_blocking=*/true);
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(const Tensor& gradient, const Tensor& x, const Tensor& kernel,
                                                        at::IntArrayRef stride, at::IntArrayRef padding,
                                                        at::IntArrayRef dilation, bool transposed,
                                                        at::IntArrayRef output_padding, int64_t groups,
                                                        std::array<bool, 3> wanted) {
  for (const auto& tensor : {gradient, x, kernel}) note_use(tensor, false, "convolution_backward");
  const int64_t filters = transposed ? kernel.size(1) * groups : kernel.size(0);
  const auto back = [&](const Tensor& t) { return t.defined() ? t.to(x.device(), /*non_blocking=*/true) : t; };
  const auto [by_x, by_kernel, by_bias] =
      at::convolution_backward(in_rows(gradient), in_rows(x), in_rows(kernel), at::IntArrayRef({filters}), stride,
                               padding, dilation, transposed, output_padding, groups, wanted);
  return {back(by_x), back(by_kernel), back(by_bias)};
}

// Every tensor that the operation is given, and whether it changes it.
template <class See>
void for_each_tensor(const c10::OperatorHandle& operation, const torch::jit::Stack& stack, const See& see) {
  const auto& arguments = operation.schema().arguments();
  const std::size_t first = stack.size() - arguments.size();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& value = stack[first + i];
    const bool changes = arguments[i].alias_info() && arguments[i].alias_info()->isWrite();
    if (value.isTensor()) see(value.toTensor(), changes);
    if (value.isTensorList())
      for (const Tensor& tensor : value.toTensorList()) see(tensor, changes);
    if (value.isOptionalTensorList())
      for (const OptionalTensor& tensor : value.toOptionalTensorList()) see(tensor.value_or(Tensor()), changes);
  }
}

void on_cpu(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
  const std::string name = operation.schema().name();
  std::optional<at::Device> device;
  for_each_tensor(operation, *stack, [&](const Tensor& tensor, bool changes) {
    note_use(tensor, changes, name.c_str());
    // As CUDA has it: numbers and, in indexing, indices may come from the CPU.
    if (!tensor.defined() || (tensor.is_cpu() && (tensor.dim() == 0 || name.starts_with("aten::index")))) return;
    TORCH_CHECK(!device || *device == tensor.device(), name, ": tensors must be on one device, got ", *device, " and ",
                tensor.device());
    device = tensor.device();
  });
  const OperationScope scope;
  at::native::cpu_fallback(operation, stack);
}

// The operations that every accelerator must have; all others copy to the CPU and back.
void register_operations() {
  constexpr auto kKey = c10::DispatchKey::PrivateUse1;
  static torch::Library all(torch::Library::IMPL, "_", kKey, __FILE__, __LINE__);
  all.fallback(torch::CppFunction::makeFromBoxedFunction<&on_cpu>());
  static torch::Library aten(torch::Library::IMPL, "aten", kKey, __FILE__, __LINE__);
  aten.impl("empty.memory_format", &empty);
  aten.impl("empty_strided", &empty_strided);
  aten.impl("_copy_from", &copy_from);
  aten.impl("_copy_from_and_resize", &copy_from_and_resize);
  aten.impl("resize_", &resized);
  aten.impl("_local_scalar_dense", &item);
  aten.impl("as_strided", &at::native::as_strided_tensorimpl);
  aten.impl("view", static_cast<Tensor (*)(const Tensor&, at::IntArrayRef)>(&at::native::view));
  aten.impl("_reshape_alias", &at::native::_reshape_alias);
  aten.impl("set_.source_Storage_storage_offset", &at::native::set_storage_cpu_);
  aten.impl("convolution_overrideable", &convolution);
  aten.impl("convolution_backward_overrideable", &convolution_backward);
}

}  // namespace

void use_gpu_or_stand_in() {
  if (visible_gpus() > 0) {
    std::printf("on %d of this machine's GPUs\n", static_cast<int>(visible_gpus()));
    // The CPU's numbers are the measure: no products of rounded factors.
    at::globalContext().setAllowTF32CuDNN(false);
    return;
  }
  register_stand_in_devices();
  register_operations();
  std::printf("no GPU is visible: on the stand-in\n");
}

}  // namespace tandem::testing
