#include "tandem/comm/mpi/mpi_session.h"

#include <c10/util/StringUtil.h>

#include <array>
#include <cstdlib>
#include <future>
#include <thread>

#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kForTheEnd(10000);  // what MPI_Finalize may take
constexpr double kSpin = 0.002;            // seconds for which a request is asked for without sleep
constexpr std::chrono::microseconds kNap(100);

}  // namespace

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error(c10::str(call, ": ", std::string(text.data(), static_cast<std::size_t>(length))));
}

void MpiSession::begin(milliseconds limit) {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (ended) throw InvalidArgument("mpi: the program has called MPI_Finalize already");
  if (begun) {
    MPI_Query_thread(&level_);
    has_thread_ = level_ == MPI_THREAD_MULTIPLE;
  } else {
    has_thread_ = true;
  }
  if (has_thread_) std::thread([this] { serve(); }).detach();
  if (!begun) {
    run(
        "MPI_Init", [this] { check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level_), "MPI_Init"); },
        limit);
    if (level_ < MPI_THREAD_SERIALIZED) throw InvalidArgument("mpi: this MPI was built without threads");
    // Only glibc tells what the program ends with; where it fails, the others must not be waited for.
    ::on_exit([](int status, void* session) { static_cast<MpiSession*>(session)->end(status); }, this);
  }
  world_ = duplicate(MPI_COMM_WORLD, limit);
  int rank = 0, size = 0;
  check_mpi(MPI_Comm_rank(world_, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(world_, &size), "MPI_Comm_size");
  rank_ = rank;
  size_ = size;
}

void MpiSession::serve() {
  std::unique_lock lock(jobs_mutex_);
  for (;;) {
    jobs_changed_.wait(lock, [this] { return !jobs_.empty(); });
    const auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

void MpiSession::run(const char* name, const std::function<void()>& call, milliseconds limit) {
  if (!has_thread_) return call();
  const auto task = std::make_shared<std::packaged_task<void()>>(call);
  auto done = task->get_future();
  {
    const std::lock_guard lock(jobs_mutex_);
    jobs_.emplace_back([task] { (*task)(); });
  }
  jobs_changed_.notify_one();
  if (done.wait_for(limit) != std::future_status::ready) {
    give_up();
    throw PeerError(c10::str("mpi: ", name, ": not all ranks came within ", seconds_of(limit), " s"));
  }
  done.get();
}

bool MpiSession::test(MPI_Request& request) {
  if (request == MPI_REQUEST_NULL) return true;
  const auto held = lock();
  int done = 0;
  check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

bool MpiSession::wait(MPI_Request& request, milliseconds limit) {
  const double start = steady_seconds();
  while (!test(request)) {
    const double now = steady_seconds();
    if (now - start > seconds_of(limit)) return false;
    if (now - start < kSpin) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kNap);
    }
  }
  return true;
}

MPI_Comm MpiSession::duplicate(MPI_Comm of, milliseconds limit) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const auto held = lock();
    check_mpi(MPI_Comm_idup(of, &made, &request), "MPI_Comm_idup");
  }
  if (!wait(request, limit)) {
    give_up();
    throw PeerError(c10::str("mpi: MPI_Comm_idup: not all ranks came within ", seconds_of(limit), " s"));
  }
  const auto held = lock();
  check_mpi(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return made;
}

// Where MPI is not ended, mpirun says so, and ends the others.
void MpiSession::end(int status) {
  int ended = 0;
  MPI_Finalized(&ended);
  if (status != 0 || gave_up_ || ended) return;
  try {
    run(
        "MPI_Finalize", [] { MPI_Finalize(); }, kForTheEnd);
  } catch (const PeerError&) {  // nobody is left to be told
  }
}

}  // namespace tandem::comm
