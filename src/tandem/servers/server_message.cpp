#include "tandem/servers/server_message.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tandem/comm/byte_stream.h"
#include "tandem/core/error.h"

namespace tandem::servers {
namespace {

constexpr uint32_t kMark = 0x32565354;  // "TSV2"

}  // namespace

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::applied:
      return "applied";
    case Outcome::held:
      return "held";
    case Outcome::dropped:
      return "dropped";
    case Outcome::duplicate:
      return "duplicate";
    case Outcome::pulled:
      break;
  }
  return "pulled";
}

bool is_between_servers(Kind kind) { return kind >= Kind::peer && kind <= Kind::parted; }

std::string encode(const Header& header) {
  comm::ByteWriter to;
  to.number(kMark);
  to.number(header.kind);
  to.number(header.outcome);
  to.number(header.worker);
  to.number(header.id);
  for (const auto n : {header.block, header.version, header.staleness, header.rows, header.all_rows}) to.number(n);
  to.number(header.rate);
  to.number(header.scale);
  return to.take();
}

std::optional<Header> decode_header(std::string_view bytes) {
  comm::ByteReader from(bytes);
  if (from.number<uint32_t>() != kMark) return {};
  Header header;
  header.kind = from.number<Kind>();
  header.outcome = from.number<Outcome>();
  header.worker = from.number<int32_t>();
  header.id = from.number<uint64_t>();
  for (auto* n : {&header.block, &header.version, &header.staleness, &header.rows, &header.all_rows})
    *n = from.number<int64_t>();
  header.rate = from.number<double>();
  header.scale = from.number<double>();
  const bool counts = std::min({static_cast<int64_t>(header.worker), header.block, header.version, header.staleness,
                                header.rows, header.all_rows}) >= 0;
  if (!from.at_end() || header.kind > Kind::error || header.outcome > Outcome::pulled || !counts ||
      !std::isfinite(header.rate) || !std::isfinite(header.scale))
    return {};
  return header;
}

void check_is_here(const Header& header, const ServerPlan& plan, int64_t server) {
  const auto first = plan.first_block(server), last = plan.first_block(server + 1);
  if (header.worker >= plan.workers)
    throw DataError(c10::str("message to a server: worker must be below ", plan.workers, ", got ", header.worker));
  if (header.block < first || header.block >= last)
    throw DataError(c10::str("message of worker ", header.worker, ": block must be from ", first, " to ", last - 1,
                             ", got ", header.block));
}

void check_bytes(const Header& header, std::size_t payload_bytes, int64_t elements) {
  const auto bytes = static_cast<std::size_t>(elements) * sizeof(float);
  if (payload_bytes != bytes)
    throw DataError(c10::str("message of worker ", header.worker, ": block ", header.block, " must have ", bytes,
                             " bytes, got ", payload_bytes));
}

void check_block(const Header& header, std::size_t payload_bytes, const ServerPlan& plan, int64_t server) {
  check_is_here(header, plan, server);
  check_bytes(header, payload_bytes, plan.block_elements(header.block));
}

std::string encode_rows(const Tensor& rows) {
  comm::ByteWriter to;
  const auto* values = rows.const_data_ptr<int64_t>();
  for (int64_t i = 0; i < rows.numel(); ++i) to.number(static_cast<uint32_t>(values[i]));
  return to.take();
}

Tensor decode_rows(std::string_view bytes, const Header& header, const ServerPlan& plan, int64_t server) {
  check_is_here(header, plan, server);
  if (!plan.table_of(header.block))
    throw DataError(
        c10::str("message of worker ", header.worker, ": rows must be of a table, got block ", header.block));
  const int64_t all = plan.block_rows(header.block), count = static_cast<int64_t>(bytes.size() / kBytesOfRow);
  const auto refuse = [&](const std::string& got) {
    throw DataError(c10::str("message of worker ", header.worker, ": rows of block ", header.block,
                             " must rise from 0 to at most ", all - 1, ", got ", got));
  };
  if (bytes.size() % kBytesOfRow != 0 || count > all) refuse(c10::str(bytes.size(), " bytes"));
  Tensor rows = at::empty({count}, at::kLong);
  auto* values = rows.mutable_data_ptr<int64_t>();
  int64_t least = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t row = 0;
    std::memcpy(&row, bytes.data() + static_cast<std::size_t>(i) * kBytesOfRow, kBytesOfRow);
    if (row < least || row >= all) refuse(c10::str(row));
    values[i] = row;
    least = values[i] + 1;
  }
  return rows;
}

}  // namespace tandem::servers
