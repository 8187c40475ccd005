#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/core/error.h"

namespace tandem {

/// A member of a config as an option of another kind: what ConfigReader calls. Each throws DataError, naming the
/// expected kind and the value. An overload beside a type of one's own makes that readable.
void read_member(const Config& member, bool& value);
void read_member(const Config& member, int64_t& value);
void read_member(const Config& member, double& value);
void read_member(const Config& member, std::string& value);
void read_member(const Config& member, std::vector<int64_t>& value);
void read_member(const Config& member, std::vector<double>& value);
template <class T>
void read_member(const Config& member, std::optional<T>& value) {
  read_member(member, value.emplace());
}

/// Reads the members of a config that Keras wrote into options, one by one, and refuses those that nobody asked for, so
/// that none is dropped silently. `read` leaves an option as it is where the member is missing or null; `require`
/// throws DataError then. A value of another kind is a DataError naming the member.
class ConfigReader {
 public:
  /// `where` names the object in errors; `config` must outlive the reader and be an object, or null for an empty one.
  ConfigReader(std::string where, const Config& config);

  template <class T>
  ConfigReader& read(const char* key, T& value) {
    if (const Config* member = find(key)) take(key, *member, value);
    return *this;
  }
  template <class T>
  ConfigReader& require(const char* key, T& value) {
    take(key, required(key), value);
    return *this;
  }
  /// A member that changes nothing here.
  ConfigReader& ignore(const char* key);
  /// A member for what is not supported: throws InvalidArgument unless it is missing, null, false or `neutral`.
  ConfigReader& refuse(const char* key, double neutral);
  /// The member is there, and null: Keras's None, where that is not the same as leaving it out.
  bool has_null(const char* key) const;
  /// Throws InvalidArgument naming a member that nobody asked for, and the nearest known.
  void finish() const;

 private:
  /// The member, or nullptr when it is missing or null.
  const Config* find(const char* key);
  const Config& required(const char* key);
  template <class T>
  void take(const char* key, const Config& member, T& value) const {
    try {
      read_member(member, value);
    } catch (const DataError& error) {
      throw_about(key, error);
    }
  }
  [[noreturn]] void throw_about(const char* key, const DataError& error) const;

  std::string where_;
  const Config& config_;
  std::vector<std::string> known_;
};

}  // namespace tandem
