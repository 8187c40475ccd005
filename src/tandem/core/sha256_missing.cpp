// In place of sha256.cpp where OpenSSL is missing.
#include "tandem/core/error.h"
#include "tandem/core/sha256.h"

namespace tandem {
namespace {

[[noreturn]] void throw_no_openssl() {
  throw InvalidArgument("SHA-256: checksums cannot be made: Tandem was built without OpenSSL");
}

}  // namespace

struct Sha256::State {};
Sha256::Sha256() { throw_no_openssl(); }
Sha256::~Sha256() = default;
void Sha256::add(const void*, std::size_t) { throw_no_openssl(); }
std::string Sha256::hex() { throw_no_openssl(); }
std::string sha256_of(const std::string&) { throw_no_openssl(); }

}  // namespace tandem
