#include "tandem/core/gpu_plugin.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/Parallel.h>
#include <c10/util/StringUtil.h>
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "tandem/core/error.h"
#include "tandem/core/library_folder.h"

namespace tandem {
namespace {

constexpr const char* kDriver = "libcuda.so.1";
constexpr const char* kTorchPart = "libtorch_cuda.so";
constexpr const char* kOwnPart = "libtandem_cuda.so";

// What went wrong, in words; empty when the library is open.
std::string open_library(const std::filesystem::path& path) {
  return dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) ? "" : dlerror();
}

// Must not ask LibTorch anything before its part is open: it would take the answer for good.
std::string open_torch_part() {
  const auto path = library_folder(reinterpret_cast<const void*>(&at::get_num_threads)) / kTorchPart;
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD)) return "";  // the program is linked with it
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"); visible && (!*visible || *visible == '-'))
    return "CUDA_VISIBLE_DEVICES names no GPU";
  if (const auto why = open_library(kDriver); !why.empty()) return c10::str("there is no GPU driver (", why, ")");
  if (const auto why = open_library(path); !why.empty()) {
    return c10::str("LibTorch's part for GPUs cannot be opened (", why, "): build with a LibTorch that has its CUDA ",
                    "libraries beside it, such as pip's torch, as TORCH_ROOT");
  }
  return "";
}

const std::string& torch_part_problem() {
  static const std::string problem = open_torch_part();
  return problem;
}

// When the library is loaded; see the class.
[[maybe_unused]] const bool kOpened = torch_part_problem().empty();

// Of LibTorch's devices: CUDA's, or those of another accelerator that the program brings.
bool has_accelerator() { return at::getAccelerator().has_value() && at::accelerator::deviceCount() > 0; }

}  // namespace

void GpuPlugin::open() {
  if (has_accelerator()) return;
  const auto& problem = torch_part_problem();
  if (!problem.empty()) throw InvalidArgument("gpu: " + problem);
  if (at::getAccelerator()) throw InvalidArgument("gpu: no GPU is visible to this process");
  throw InvalidArgument("gpu: LibTorch was used before Tandem was loaded, and so without its part for GPUs");
}

int64_t GpuPlugin::visible() { return has_accelerator() ? at::accelerator::deviceCount() : 0; }

void* GpuPlugin::symbol(const std::string& name) {
  open();
  static const std::filesystem::path path =
      library_folder(reinterpret_cast<const void*>(&GpuPlugin::visible)) / kOwnPart;
  static const std::string problem = open_library(path);
  if (!problem.empty()) {
    throw InvalidArgument(c10::str("gpu: ", kOwnPart, " cannot be opened (", problem,
                                   "); it is built where the headers of CUDA and NCCL are"));
  }
  void* found = dlsym(RTLD_DEFAULT, name.c_str());
  if (!found) throw InvalidArgument(c10::str("gpu: ", path.string(), " is of another version: it lacks ", name));
  return found;
}

}  // namespace tandem
