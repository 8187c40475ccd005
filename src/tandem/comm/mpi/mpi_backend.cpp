#include "tandem/comm/mpi/mpi_backend.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <limits>
#include <list>
#include <memory>

#include "tandem/comm/mpi/mpi_work.h"
#include "tandem/core/error.h"

namespace tandem::comm {
namespace {

using std::chrono::milliseconds;
using torch_work = c10::intrusive_ptr<c10d::Work>;

constexpr milliseconds kForALook(2000);  // the store's answer

MPI_Datatype type_of(const Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kByte:
      return MPI_UINT8_T;
    case at::kChar:
      return MPI_INT8_T;
    case at::kShort:
      return MPI_INT16_T;
    case at::kInt:
      return MPI_INT32_T;
    case at::kLong:
      return MPI_INT64_T;
    case at::kFloat:
      return MPI_FLOAT;
    case at::kDouble:
      return MPI_DOUBLE;
    default:
      throw InvalidArgument(c10::str("MPI does not add up tensors of type ", tensor.scalar_type()));
  }
}

int count_of(const Tensor& tensor) {
  if (tensor.numel() > std::numeric_limits<int>::max()) {
    throw InvalidArgument(
        c10::str("one call of MPI takes at most ", std::numeric_limits<int>::max(), " elements, got ", tensor.numel()));
  }
  return static_cast<int>(tensor.numel());
}

bool is_short(const Tensor& tensor) {
  return tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16;
}
Tensor wide(const Tensor& tensor) { return is_short(tensor) ? tensor.to(at::kFloat) : tensor; }

class MpiBackend final : public c10d::Backend {
 public:
  MpiBackend(MpiSession& session, const c10::intrusive_ptr<c10d::Store>& store, int64_t rank, int64_t ranks,
             milliseconds limit, MPI_Comm all)
      : Backend(static_cast<int>(rank), static_cast<int>(ranks)),
        session_(session),
        ranks_(session.duplicate(all, limit)),
        store_(store->clone()) {
    store_->setTimeout(kForALook);
  }

  // The communicators stay until MPI_Finalize: to free them is for all ranks together, and some may be lost.
  ~MpiBackend() override {
    try {
      if (!closed_) forget_ended();
    } catch (const std::exception&) {  // counts as not ended
    }
    if (running_->empty()) return;
    session_.give_up();
    static_cast<void>(running_.release());  // MPI may still write to their tensors
  }

  void close() {
    closed_ = true;
    try {
      store_->set(kMpiClosed, std::string("1"));
    } catch (const std::exception&) {  // it is in rank 0's process, which may be the one that is lost
    }
  }

  const std::string getBackendName() const override { return "mpi"; }

  torch_work allreduce(std::vector<Tensor>& tensors, const c10d::AllreduceOptions&) override {
    const Tensor sum = wide(tensors.front());
    auto work = begin({sum}, [&](MPI_Request& request) {
      return MPI_Iallreduce(MPI_IN_PLACE, sum.data_ptr(), count_of(sum), type_of(sum), MPI_SUM, ranks_, &request);
    });
    if (is_short(tensors.front())) work->copy_result_to(tensors.front());
    return work;
  }

  torch_work _reduce_scatter_base(Tensor& to, Tensor& from, const c10d::ReduceScatterOptions&) override {
    const Tensor whole = wide(from), part = is_short(to) ? at::empty_like(to, at::kFloat) : to;
    auto work = begin({whole, part}, [&](MPI_Request& request) {
      return MPI_Ireduce_scatter_block(whole.const_data_ptr(), part.data_ptr(), count_of(part), type_of(part), MPI_SUM,
                                       ranks_, &request);
    });
    if (is_short(to)) work->copy_result_to(to);
    return work;
  }

  // What is not added up comes as bytes.
  torch_work _allgather_base(Tensor& to, Tensor& from, const c10d::AllgatherOptions&) override {
    return begin({to, from}, [&](MPI_Request& request) {
      return MPI_Iallgather(from.const_data_ptr(), count_of(from), MPI_BYTE, to.data_ptr(), count_of(from), MPI_BYTE,
                            ranks_, &request);
    });
  }
  torch_work broadcast(std::vector<Tensor>& tensors, const c10d::BroadcastOptions& options) override {
    const Tensor tensor = tensors.front();
    return begin({tensor}, [&](MPI_Request& request) {
      return MPI_Ibcast(tensor.data_ptr(), count_of(tensor), MPI_BYTE, static_cast<int>(options.rootRank), ranks_,
                        &request);
    });
  }
  torch_work send(std::vector<Tensor>& tensors, int to, int tag) override {
    const Tensor tensor = tensors.front();
    return begin({tensor}, [&](MPI_Request& request) {
      return MPI_Isend(tensor.const_data_ptr(), count_of(tensor), MPI_BYTE, to, tag, ranks_, &request);
    });
  }
  torch_work recv(std::vector<Tensor>& tensors, int from, int tag) override {
    const Tensor tensor = tensors.front();
    return begin({tensor}, [&](MPI_Request& request) {
      return MPI_Irecv(tensor.data_ptr(), count_of(tensor), MPI_BYTE, from, tag, ranks_, &request);
    });
  }
  torch_work barrier(const c10d::BarrierOptions&) override {
    return begin({}, [&](MPI_Request& request) { return MPI_Ibarrier(ranks_, &request); });
  }

 private:
  template <class Start>
  c10::intrusive_ptr<MpiWork> begin(std::vector<Tensor> held, Start start) {
    forget_ended();
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const auto one_at_a_time = session_.lock();
      check_mpi(start(request), "MPI");
    }
    running_->push_back(c10::make_intrusive<MpiWork>(session_, request, std::move(held), store_));
    return running_->back();
  }

  // Those that nobody waits for must stay until they have ended, too.
  void forget_ended() {
    running_->remove_if([](const c10::intrusive_ptr<MpiWork>& work) { return work->ended(); });
  }

  MpiSession& session_;
  MPI_Comm ranks_;
  c10::intrusive_ptr<c10d::Store> store_;
  std::unique_ptr<std::list<c10::intrusive_ptr<MpiWork>>> running_ =
      std::make_unique<std::list<c10::intrusive_ptr<MpiWork>>>();
  bool closed_ = false;
};

// Of the ranks of this store, in their order.
MPI_Comm communicator_of(MpiSession& session, c10d::Store& store, int64_t rank, int64_t ranks, milliseconds limit) {
  const auto key = [](int64_t r) { return c10::str("mpi rank/", r); };
  store.set(key(rank), std::to_string(session.rank()));
  std::vector<int> members;
  bool all = ranks == session.size();
  for (int64_t r = 0; r < ranks; ++r) {
    members.push_back(std::stoi(store.get_to_str(key(r))));
    all = all && members.back() == r;
  }
  if (all) return session.world();
  MPI_Comm made = MPI_COMM_NULL;
  session.run(
      "MPI_Comm_create_group",
      [&] {
        MPI_Group everyone = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
        check_mpi(MPI_Comm_group(session.world(), &everyone), "MPI_Comm_group");
        check_mpi(MPI_Group_incl(everyone, static_cast<int>(ranks), members.data(), &group), "MPI_Group_incl");
        check_mpi(MPI_Comm_create_group(session.world(), group, 0, &made), "MPI_Comm_create_group");
        MPI_Group_free(&group);
        MPI_Group_free(&everyone);
      },
      limit);
  return made;
}

}  // namespace

ProcessBackend make_mpi_backend(MpiSession& session, const c10::intrusive_ptr<c10d::Store>& store, int64_t rank,
                                int64_t ranks, milliseconds limit) {
  const auto all = communicator_of(session, *store, rank, ranks, limit);
  const auto backend = c10::make_intrusive<MpiBackend>(session, store, rank, ranks, limit, all);
  return {backend, [backend] { backend->close(); }};
}

}  // namespace tandem::comm
