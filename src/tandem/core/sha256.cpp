#include "tandem/core/sha256.h"

#include <c10/util/StringUtil.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "tandem/core/error.h"

namespace tandem {
namespace {

void check_digest(int status) {
  if (status != 1) throw InternalError("SHA-256: OpenSSL reports an error");
}

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  check_digest(state_->context ? EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) : 0);
}

Sha256::~Sha256() = default;

void Sha256::add(const void* bytes, std::size_t count) {
  check_digest(EVP_DigestUpdate(state_->context, bytes, count));
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  check_digest(EVP_DigestFinal_ex(state_->context, digest.data(), &length));
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    constexpr auto kDigitsOf16 = "0123456789abcdef";
    text += {kDigitsOf16[digest[i] >> 4], kDigitsOf16[digest[i] & 15]};
  }
  return text;
}

std::string sha256_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw DataError(c10::str(path, ": cannot be read: ", std::strerror(errno)));
  Sha256 digest;
  std::vector<char> block(1 << 17);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0)
    digest.add(block.data(), static_cast<std::size_t>(in.gcount()));
  if (in.bad()) throw DataError(c10::str(path, ": cannot be read: ", std::strerror(errno)));
  return digest.hex();
}

}  // namespace tandem
