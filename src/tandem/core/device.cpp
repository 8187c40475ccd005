#include "tandem/core/device.h"

#include <c10/util/StringUtil.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "tandem/core/cpu_quota.h"
#include "tandem/core/error.h"
#include "tandem/core/gpu_plugin.h"

namespace tandem {
namespace {

constexpr int64_t kMostDevices = 1024;  // in "cpu*n": far above any machine, far below what exhausts its memory

std::optional<int64_t> parse_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool all = error == std::errc() && end == text.data() + text.size();
  return all && text.front() != '-' ? std::optional(number) : std::nullopt;
}

std::optional<Device::Kind> parse_kind(std::string_view text) {
  if (text == "cpu" || text == "CPU") return Device::Kind::cpu;
  if (text == "gpu" || text == "GPU") return Device::Kind::gpu;
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

// "cpu*4", or nothing when the text has no '*'.
std::optional<std::vector<Device>> parse_product(std::string_view text) {
  const auto star = text.find('*');
  if (star == std::string_view::npos) return std::nullopt;
  const auto kind = parse_kind(text.substr(0, star));
  const auto count = parse_number(text.substr(star + 1));
  if (!kind || !count || *count < 1 || *count > kMostDevices) {
    throw InvalidArgument(
        c10::str("devices '", text, "': must be cpu*n or gpu*n with n from 1 to ", kMostDevices, ", as in cpu*4"));
  }
  std::vector<Device> devices(static_cast<std::size_t>(*count));
  for (int64_t i = 0; i < *count; ++i) {
    devices[i].kind = *kind;
    devices[i].index = i;
  }
  return devices;
}

Device gpu(int64_t index) {
  Device device;
  device.kind = Device::Kind::gpu;
  device.index = index;
  return device;
}

std::string visible_text(int64_t gpus) {
  if (gpus == 0) return "0 visible";
  return c10::str(gpus, " visible (", gpus == 1 ? "gpu:0" : c10::str("gpu:0 to gpu:", gpus - 1), ")");
}

}  // namespace

Device::Device(const char* text) {
  const std::string_view whole = text ? text : "";
  std::string_view rest = whole;
  // Keras's forms: "/gpu:0", "/device:GPU:0".
  if (rest.starts_with('/')) rest.remove_prefix(1);
  if (rest.size() < whole.size() && rest.starts_with("device:")) rest.remove_prefix(7);

  const auto colon = rest.find(':');
  const auto slash = rest.find('/');
  const bool divided = colon < slash && slash != std::string_view::npos;
  std::optional<Kind> parsed_kind;
  std::optional<int64_t> parsed_index, parsed_parts = 1;
  if (colon != std::string_view::npos) {
    parsed_kind = parse_kind(rest.substr(0, colon));
    parsed_index = parse_number(divided ? rest.substr(colon + 1, slash - colon - 1) : rest.substr(colon + 1));
    if (divided) parsed_parts = parse_number(rest.substr(slash + 1));
  }
  if (!parsed_kind || !parsed_index || !parsed_parts || *parsed_parts < 1 || (divided && *parsed_kind == Kind::cpu)) {
    throw InvalidArgument(c10::str(
        "device '", whole, "': must be cpu:k, gpu:k or gpu:k/parts with parts of at least 1, as in cpu:0 or gpu:0/2"));
  }
  kind = *parsed_kind;
  index = *parsed_index;
  parts = *parsed_parts;
}

std::string Device::to_string() const {
  const auto name = c10::str(kind == Kind::cpu ? "cpu:" : "gpu:", index);
  return parts == 1 ? name : c10::str(name, "/", parts);
}

Devices Devices::of(std::vector<Device> devices) {
  Devices out;
  out.devices_ = std::move(devices);
  return out;
}

Devices Devices::parse(const std::string& text) {
  if (trimmed(text) == "auto") {
    const int64_t n = visible_gpus();
    return n > 0 ? gpus(n) : Devices{Device("cpu:0")};
  }
  std::vector<Device> devices;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const auto comma = rest.find(',');
    more = comma != std::string_view::npos;
    const auto item = trimmed(rest.substr(0, comma));
    if (more) rest.remove_prefix(comma + 1);
    if (item.empty()) {
      throw InvalidArgument(
          c10::str("devices '", text, "': must name devices separated by commas, as in cpu:0,cpu:1, or auto"));
    }
    if (const auto product = parse_product(item)) {
      devices.insert(devices.end(), product->begin(), product->end());
    } else {
      devices.emplace_back(std::string(item));
    }
  }
  return of(std::move(devices));
}

Devices Devices::gpus(int64_t n) {
  if (n < 1 || n > kMostDevices) {
    throw InvalidArgument(
        c10::str("number of GPUs must be from 1 to ", kMostDevices, ", got ", n, "; ", visible_text(visible_gpus())));
  }
  std::vector<Device> devices;
  for (int64_t i = 0; i < n; ++i) devices.push_back(gpu(i));
  auto out = of(std::move(devices));
  check_available(out);
  return out;
}

std::string Devices::to_string() const {
  std::string out;
  for (const auto& device : devices_) {
    if (!out.empty()) out += ',';
    out += device.to_string();
  }
  return out;
}

int64_t visible_gpus() { return GpuPlugin::visible(); }

int64_t available_cores() {
  // The mask of the process (its main thread), not of the calling thread, which a replica may have narrowed. The kernel
  // refuses a set smaller than its own.
  int64_t cores = 0;
  for (std::size_t bits = 1024; bits <= std::size_t{1} << 20 && cores == 0; bits *= 2) {
    std::vector<cpu_set_t> mask(bits / (8 * sizeof(cpu_set_t)));
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(getpid(), bytes, mask.data()) == 0) cores = CPU_COUNT_S(bytes, mask.data());
  }
  if (const auto quota = cpu_quota()) cores = std::min(cores, static_cast<int64_t>(std::ceil(*quota)));
  return std::max<int64_t>(cores, 1);
}

void check_available(const Devices& devices) { check_available(devices, visible_gpus()); }

void check_available(const Devices& devices, int64_t visible) {
  if (devices.empty()) throw InvalidArgument("devices: at least one must be named, got none");
  const auto fail = [&](const std::string& what) {
    throw InvalidArgument(c10::str("devices ", devices.to_string(), ": ", what));
  };

  std::set<int64_t> gpus_asked;
  for (const auto& device : devices) {
    if (device.index < 0 || device.parts < 1) fail(c10::str(device.to_string(), " is no device"));
    if (device.kind == Device::Kind::gpu) gpus_asked.insert(device.index);
  }
  if (!gpus_asked.empty() && *gpus_asked.rbegin() >= visible) {
    const auto asked = static_cast<int64_t>(gpus_asked.size());
    const auto counts = c10::str(asked, asked == 1 ? " GPU" : " GPUs", " requested, ", visible_text(visible));
    fail(asked > visible ? counts : c10::str("gpu:", *gpus_asked.rbegin(), " is not there; ", counts));
  }

  for (const auto& device : devices) {
    int64_t named = 0;
    for (const auto& other : devices) {
      if (other.kind != device.kind || other.index != device.index) continue;
      ++named;
      if (other.parts != device.parts) {
        fail(c10::str("one GPU must be divided into one number of parts, got ", device.to_string(), " and ",
                      other.to_string()));
      }
    }
    if (named > device.parts) {
      fail(c10::str(device.to_string(), " is named ", named, " times, at most ", device.parts, " allowed"));
    }
  }
}

}  // namespace tandem
