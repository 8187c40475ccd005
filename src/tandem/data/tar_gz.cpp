#include "tandem/data/tar_gz.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "tandem/core/atomic_file.h"
#include "tandem/core/error.h"
#include "tandem/data/gz_file.h"

namespace tandem::data {
namespace {

constexpr int64_t kBlock = 512;  // bytes; headers and members begin at multiples

// A header's fields by their places in the block.
class TarHeader {
 public:
  std::array<char, kBlock>& block() { return block_; }

  bool is_empty() const {
    return std::all_of(block_.begin(), block_.end(), [](char c) { return c == 0; });
  }
  bool is_file() const { return block_[156] == '0' || block_[156] == '\0'; }
  std::string name() const {
    const auto prefix = is_ustar() ? text(345, 155) : "";
    return (prefix.empty() ? "" : std::string(prefix) + "/") + std::string(text(0, 100));
  }
  // -1 when the field is not an octal number.
  int64_t bytes() const { return octal(124, 12); }
  bool is_sound() const {
    int64_t sum = 0;  // of all bytes, the checksum's own taken as spaces
    for (std::size_t i = 0; i < block_.size(); ++i)
      sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(block_[i]);
    return sum == octal(148, 8) && bytes() >= 0;
  }

 private:
  bool is_ustar() const { return text(257, 5) == "ustar"; }
  std::string_view text(std::size_t begin, std::size_t length) const {
    const std::string_view field(block_.data() + begin, length);
    return field.substr(0, field.find('\0'));
  }
  int64_t octal(std::size_t begin, std::size_t length) const {
    auto digits = text(begin, length);
    digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
    digits = digits.substr(0, digits.find(' '));
    int64_t value = 0;
    for (const char digit : digits) {
      if (digit < '0' || digit > '7') return -1;
      value = value * 8 + (digit - '0');
    }
    return digits.empty() ? -1 : value;
  }

  std::array<char, kBlock> block_{};
};

void read_exactly(GzFile& file, void* to, int64_t bytes, const std::string& archive) {
  if (file.read(to, static_cast<std::size_t>(bytes)) < static_cast<std::size_t>(bytes))
    throw DataError(archive + ": ends inside a member");
}

// Passes over `bytes` bytes.
void skip(GzFile& file, int64_t bytes, const std::string& archive) {
  std::array<char, 64 * kBlock> block{};
  for (; bytes > 0; bytes -= std::min<int64_t>(bytes, block.size()))
    read_exactly(file, block.data(), std::min<int64_t>(bytes, block.size()), archive);
}

}  // namespace

void unpack_tar_gz(const std::string& archive, const std::vector<TarMember>& wanted,
                   const std::filesystem::path& folder) {
  GzFile file(archive);
  std::set<std::string> written;
  while (written.size() < wanted.size()) {
    TarHeader header;
    if (file.read(header.block().data(), kBlock) < kBlock || header.is_empty()) break;
    if (!header.is_sound()) throw DataError(archive + ": a member's header is damaged");
    const int64_t padding = (kBlock - header.bytes() % kBlock) % kBlock;
    const auto member =
        std::find_if(wanted.begin(), wanted.end(), [&](const TarMember& one) { return one.name == header.name(); });
    if (member == wanted.end() || !header.is_file()) {
      skip(file, header.bytes(), archive);
      skip(file, padding, archive);
      continue;
    }
    if (header.bytes() != member->bytes) {
      throw DataError(
          c10::str(archive, ": ", member->name, " must have ", member->bytes, " bytes, has ", header.bytes()));
    }
    std::string bytes(static_cast<std::size_t>(header.bytes()), '\0');
    read_exactly(file, bytes.data(), header.bytes(), archive);
    skip(file, padding, archive);
    const auto name = std::filesystem::path(member->name).filename();
    write_file_atomically((folder / name).string(), bytes);
    written.insert(member->name);
  }
  for (const auto& member : wanted) {
    if (!written.contains(member.name)) throw DataError(c10::str(archive, ": has no ", member.name));
  }
}

}  // namespace tandem::data
