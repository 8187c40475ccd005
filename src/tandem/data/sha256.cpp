#include "tandem/data/sha256.h"

#include <c10/util/StringUtil.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "tandem/core/error.h"

namespace tandem::data {
namespace {

struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

void check_digest(int status) {
  if (status != 1) throw InternalError("SHA-256: OpenSSL reports an error");
}

}  // namespace

std::string sha256_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw DataError(c10::str(path, ": cannot be read: ", std::strerror(errno)));
  const std::unique_ptr<EVP_MD_CTX, FreeDigest> context(EVP_MD_CTX_new());
  check_digest(context ? EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) : 0);
  std::vector<char> block(1 << 17);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0)
    check_digest(EVP_DigestUpdate(context.get(), block.data(), static_cast<std::size_t>(in.gcount())));
  if (in.bad()) throw DataError(c10::str(path, ": cannot be read: ", std::strerror(errno)));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  check_digest(EVP_DigestFinal_ex(context.get(), digest.data(), &length));
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    constexpr auto kDigitsOf16 = "0123456789abcdef";
    text += {kDigitsOf16[digest[i] >> 4], kDigitsOf16[digest[i] & 15]};
  }
  return text;
}

}  // namespace tandem::data
