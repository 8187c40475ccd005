#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "tandem/comm/job_key.h"
#include "tandem/comm/meeting_message.h"

namespace tandem::comm {

/// The keys of a MeetingPoint as LibTorch's c10d wants them: each process has one. Calls of several threads follow one
/// another; a clone has a connection of its own. Throws PeerError, naming the address and what was asked for, when no
/// answer comes within the limit.
class MeetingStore : public c10d::Store {
 public:
  MeetingStore(std::string host, int64_t port, std::optional<JobKey> key, std::chrono::milliseconds limit);
  ~MeetingStore() override;

  c10::intrusive_ptr<c10d::Store> clone() override;
  using c10d::Store::set;
  void set(const std::string& key, const std::vector<uint8_t>& value) override;
  using c10d::Store::compareSet;
  std::vector<uint8_t> compareSet(const std::string& key, const std::vector<uint8_t>& before,
                                  const std::vector<uint8_t>& value) override;
  std::vector<uint8_t> get(const std::string& key) override;
  int64_t add(const std::string& key, int64_t value) override;
  bool deleteKey(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  int64_t getNumKeys() override;
  void wait(const std::vector<std::string>& keys) override;
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& limit) override;

 private:
  MeetingAnswer ask(MeetingRequest request);

  struct Connection;
  std::string host_;
  int64_t port_;
  std::optional<JobKey> key_;
  std::mutex mutex_;
  std::unique_ptr<Connection> connection_;
  uint64_t asked_ = 0;
};

}  // namespace tandem::comm
