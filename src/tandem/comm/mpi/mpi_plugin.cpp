// What libtandem_mpi hands out.
#include <c10/util/StringUtil.h>

#include "tandem/comm/mpi/mpi_backend.h"
#include "tandem/comm/mpi/mpi_session.h"
#include "tandem/comm/mpi_world.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

using std::chrono::milliseconds;

class World final : public MpiWorld {
 public:
  explicit World(milliseconds limit) { session_.begin(limit); }

  int64_t rank() const override { return session_.rank(); }
  int64_t size() const override { return session_.size(); }

  std::string broadcast(const std::string& text, milliseconds limit) override {
    int64_t size = static_cast<int64_t>(text.size());
    hand_on(&size, static_cast<int>(sizeof(size)), limit);
    std::string all = rank() == 0 ? text : std::string(static_cast<std::size_t>(size), '\0');
    hand_on(all.data(), static_cast<int>(size), limit);
    return all;
  }

  void check_threads() const override {
    if (session_.any_thread_may_call()) return;
    throw InvalidArgument(
        "mpi: the program began MPI for one thread; backend 'mpi' needs MPI_Init_thread with MPI_THREAD_SERIALIZED");
  }

  ProcessBackend make_backend(const c10::intrusive_ptr<c10d::Store>& store, int64_t rank, int64_t ranks,
                              milliseconds limit) override {
    return make_mpi_backend(session_, store, rank, ranks, limit);
  }

 private:
  void hand_on(void* bytes, int count, milliseconds limit) {
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const auto one_at_a_time = session_.lock();
      check_mpi(MPI_Ibcast(bytes, count, MPI_BYTE, 0, session_.world(), &request), "MPI_Ibcast");
    }
    if (session_.wait(request, limit)) return;
    session_.give_up();
    throw PeerError(c10::str("rank ", rank(), ": not all ranks came to MPI_Ibcast within ", seconds_of(limit), " s"));
  }

  MpiSession& session_ = *new MpiSession;  // stays, whatever comes
};

}  // namespace
}  // namespace tandem::comm

// See kMakeMpiWorld.
extern "C" __attribute__((visibility("default"))) tandem::comm::MpiWorld* tandem_mpi_make_world(
    std::chrono::milliseconds limit) {
  return new tandem::comm::World(limit);
}
