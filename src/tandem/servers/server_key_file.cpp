#include "tandem/servers/server_key_file.h"

#include "tandem/comm/private_file.h"
#include "tandem/core/error.h"

namespace tandem::servers {
namespace {

constexpr const char* kWhat = "key file";

}  // namespace

void write_new_key(const std::string& path) {
  comm::write_private_file(kWhat, path, comm::JobKey::fresh().secret + "\n", false);
}

comm::JobKey read_key(const std::string& path) {
  auto text = comm::read_private_file(kWhat, path);
  if (!text)
    throw DataError(std::string(kWhat) + " " + path + ": there is none; tandem serve-parameters --new-key makes one");
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  try {
    return comm::JobKey::of_secret(*text);
  } catch (const InvalidArgument& error) {
    throw DataError(std::string(kWhat) + " " + path + ": " + error.what());
  }
}

}  // namespace tandem::servers
