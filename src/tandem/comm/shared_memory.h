#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace tandem::comm {

/// Memory that several processes of one user on one host see. It has no name in a file system: the others open it by
/// the process that made it, and nothing is left behind, however they end. Filled with zeros at first, and given room
/// page by page as it is used.
class SharedMemory {
 public:
  /// Throws PeerError where the system has none.
  static SharedMemory make(std::size_t bytes);
  /// What another process, or this one, made; it must still have it. Throws PeerError where that cannot be opened.
  static SharedMemory open(const std::string& address);
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) = delete;

  /// For open.
  std::string address() const;
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// Takes place `place`, one of as many as wanted, which only one object may hold: until it ends, or its process
  /// does, however that comes.
  void take_place(int64_t place);
  /// Whether another object, of whatever process, holds it.
  bool is_taken(int64_t place) const;

 private:
  explicit SharedMemory(int file);

  int file_ = -1;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tandem::comm
