#pragma once
#include <atomic>
#include <memory>

#include "tandem/comm/turns.h"
#include "tandem/distribution/gradient_exchange.h"
#include "tandem/distribution/table_rows.h"
#include "tandem/servers/server_client.h"

namespace tandem::distribute {

/// Sends one replica's gradients to parameter servers, which update the parameters and send them back: a worker. A
/// block of the servers' plan starts on its way with the bucket that completes it, touched rows of tables when backward
/// has ended.
class ServerExchange final : public GradientExchange {
 public:
  /// `tables`: of the plan's, in its order. `target`: the flat parameters that answers are written to. `turns`: what
  /// this replica shares its device's threads by, and lets others have while it waits; null where it has them alone.
  ServerExchange(FlatWeights& weights, const std::vector<Weight>& tables, std::vector<GradientBucket> buckets,
                 servers::ServerPlan plan, const servers::ClientOptions& options, Tensor target, comm::Turns* turns);

  /// The values of the target and of the tables' masters are what the servers begin with, where this is worker 0; else
  /// the target is set to the servers'.
  void begin_training();
  bool has_begun() const { return begun_; }
  /// The servers go on from the values of the target and of the tables' masters.
  void set_parameters();
  /// Sets the tables' masters to the servers'.
  void pull_tables();
  TableRows* tables() override { return tables_.tables().empty() ? nullptr : &tables_; }
  /// Sets the target to the servers' parameters, of which a gradient will be made. `pass`, as of ServerClient::pull.
  void pull(int64_t pass = 0);
  /// Returns when the servers of all hosts have averaged their parameters so many times, and they with nobody training.
  void average(int64_t round);
  /// No gradient will be made before the next pull, and none of this pass any more.
  void rest(int64_t pass = 0);
  bool rests() const { return rests_; }
  /// Ends the wait that another thread is in, or comes to, with PeerError that gives `reason`.
  void abort(const std::string& reason) { client_.abort(reason); }
  /// Forgets what was on its way, of a step that failed: the next one begins with pull.
  void give_up();
  /// To be used while no gradient is on its way.
  servers::ServerClient& client() { return client_; }

  int64_t bytes_sent() const override { return client_.bytes_sent(); }
  int64_t bytes_received() const override { return client_.bytes_received(); }
  /// Of which the servers' own work is a part.
  double seconds_moving() const override { return seconds_; }

 private:
  void reset(const UpdateTerms& terms) override;
  void start(std::size_t bucket) override;
  void all_started() override;
  void all_arrived() override;
  comm::ReduceTimes wait(std::size_t bucket) override;
  // Calls `wait`, others having this one's turn meanwhile.
  template <class Wait>
  void away(const Wait& wait);
  void finish_exchange();
  std::vector<Tensor> masters() const;
  Tensor pull_rows(std::size_t table, const Tensor& rows);
  // The plan's number of a table.
  std::size_t number_of(std::size_t table) const { return plan_.weights.size() - tables_.tables().size() + table; }

  const servers::ServerPlan plan_;
  servers::ServerClient client_;
  TableRows tables_;
  Tensor target_;
  comm::Turns* const turns_;
  bool begun_ = false, rests_ = false;
  servers::PushOptions terms_;
  int64_t next_ = 0;       // block to be sent
  bool finished_ = false;  // all are back
  std::vector<double> started_;
  std::atomic<double> seconds_ = 0;  // looked at from other threads
};

}  // namespace tandem::distribute
