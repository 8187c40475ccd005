#include "tandem/servers/range_snapshot.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "tandem/comm/byte_stream.h"
#include "tandem/core/atomic_file.h"
#include "tandem/core/error.h"
#include "tandem/core/mix_bits.h"
#include "tandem/servers/server_plan.h"

namespace tandem::servers {
namespace {

// A file: mark, checksum, length of the head, the head, then parameters and slots as float32.
constexpr uint64_t kSnapshotMark = 0x3250414e53535054;  // "TPSSNAP2"
constexpr std::size_t kFrontBytes = 3 * sizeof(uint64_t);

[[noreturn]] void refuse_snapshot(const std::string& path, const std::string& why) {
  throw DataError(c10::str(path, ": ", why));
}

std::vector<Tensor> tensors_of(const RangeSnapshot& snapshot) {
  std::vector<Tensor> tensors{snapshot.parameters};
  tensors.insert(tensors.end(), snapshot.state.slots.begin(), snapshot.state.slots.end());
  return tensors;
}

uint64_t checksum_of(const std::string& head, const std::vector<Tensor>& tensors) {
  uint64_t sum = mix_bytes(head.data(), head.size(), head.size());
  for (const auto& values : tensors) sum = mix_bytes(values.const_data_ptr(), values.nbytes(), sum);
  return sum;
}

std::string head_of(const RangeSnapshot& snapshot) {
  comm::ByteWriter to;
  to.text(snapshot.plan_text);
  for (const auto n : {snapshot.server, snapshot.version, snapshot.state.iterations}) to.number(n);
  to.numbers(snapshot.state.numbers);
  to.number(static_cast<uint64_t>(snapshot.state.slots.size()));
  to.numbers(snapshot.used);
  to.numbers(snapshot.given);
  for (const auto& name : snapshot.names) to.text(name);
  to.text(snapshot.figures.encode());
  if (!snapshot.host.empty()) to.text(snapshot.host);
  return to.take();
}

// Without the tensors; `slots`: how many there are to be. False: it is none.
bool read_head(const std::string& head, RangeSnapshot& snapshot, uint64_t& slots) {
  comm::ByteReader from(head);
  snapshot.plan_text = from.text();
  for (auto* n : {&snapshot.server, &snapshot.version, &snapshot.state.iterations}) *n = from.number<int64_t>();
  snapshot.state.numbers = from.numbers<double>();
  slots = from.number<uint64_t>();
  snapshot.used = from.numbers<uint64_t>();
  snapshot.given = from.numbers<int64_t>();
  for (std::size_t w = 0; w < snapshot.used.size(); ++w) snapshot.names.push_back(from.text());
  snapshot.figures = ServerFigures::decode(from.text());
  if (!from.at_end()) snapshot.host = from.text();
  return from.at_end() && std::min({snapshot.server, snapshot.version, snapshot.state.iterations}) >= 0;
}

void read_bytes(std::ifstream& from, const std::string& path, void* to, std::size_t bytes) {
  if (!from.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
    refuse_snapshot(path, "cannot be read to its end");
}

}  // namespace

void write_snapshot(const std::string& path, const RangeSnapshot& snapshot) {
  const auto head = head_of(snapshot);
  const auto tensors = tensors_of(snapshot);
  comm::ByteWriter front;
  for (const uint64_t n : {kSnapshotMark, checksum_of(head, tensors), static_cast<uint64_t>(head.size())})
    front.number(n);
  write_file_atomically(path, [&](const std::string& temporary) {
    std::ofstream to(temporary, std::ios::binary);
    to << front.take() << head;
    for (const auto& values : tensors)
      to.write(static_cast<const char*>(values.const_data_ptr()), static_cast<std::streamsize>(values.nbytes()));
    to.close();
    if (!to) refuse_snapshot(path, c10::str("cannot be written: ", std::generic_category().message(errno)));
  });
}

RangeSnapshot read_snapshot(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  std::ifstream from(path, std::ios::binary);
  if (error || !from) refuse_snapshot(path, "cannot be read");
  uint64_t front[3] = {};
  if (size < kFrontBytes) refuse_snapshot(path, "must be a saved range of a parameter server, is too short for one");
  read_bytes(from, path, front, kFrontBytes);
  if (front[0] != kSnapshotMark) refuse_snapshot(path, "must be a saved range of a parameter server, is another file");
  if (front[2] > size - kFrontBytes) refuse_snapshot(path, "is damaged: its head is longer than the file");
  std::string head(front[2], '\0');
  read_bytes(from, path, head.data(), head.size());
  RangeSnapshot snapshot;
  uint64_t slots = 0;
  ServerPlan plan;
  try {
    if (!read_head(head, snapshot, slots)) refuse_snapshot(path, "is damaged: its head does not hold together");
    plan = ServerPlan::decode(snapshot.plan_text);
  } catch (const DataError&) {
    refuse_snapshot(path, "is damaged: its head does not hold together");
  }
  const uint64_t rest = size - kFrontBytes - head.size();
  const auto workers = static_cast<std::size_t>(plan.workers);
  const bool fits =
      snapshot.server < plan.servers() && snapshot.used.size() == workers && snapshot.given.size() == workers;
  const int64_t n = fits ? plan.server_begin(snapshot.server + 1) - plan.server_begin(snapshot.server) : 0;
  const auto values = static_cast<uint64_t>(n) * sizeof(float);
  if (!fits || rest % values != 0 || rest / values == 0 || rest / values - 1 != slots)
    refuse_snapshot(path, c10::str("is damaged: must have ", slots, " slots and parameters of ", n, " elements, has ",
                                   rest, " bytes"));
  for (uint64_t i = 0; i <= slots; ++i) {
    Tensor read = at::empty({n}, at::kFloat);
    read_bytes(from, path, read.mutable_data_ptr(), read.nbytes());
    if (i == 0) snapshot.parameters = read;
    if (i > 0) snapshot.state.slots.push_back(read);
  }
  if (checksum_of(head, tensors_of(snapshot)) != front[1])
    refuse_snapshot(path, "is damaged: its checksum does not fit its content");
  return snapshot;
}

}  // namespace tandem::servers
