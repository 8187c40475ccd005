// One rank that speaks MPI itself, beside Tandem: own_mpi single|serialized|multiple BACKEND
#include <ATen/ATen.h>
#include <mpi.h>
#include <tandem/light.h>

#include <cstdio>
#include <stdexcept>
#include <string>

int main(int argc, char** argv) {
  const std::string threads = argv[1];
  int level = MPI_THREAD_SINGLE, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv,
                  threads == "single"       ? MPI_THREAD_SINGLE
                  : threads == "serialized" ? MPI_THREAD_SERIALIZED
                                            : MPI_THREAD_MULTIPLE,
                  &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int status = 0;
  try {
    const auto group = tandem::distribute::init_process_group({.backend = argv[2]});
    at::Tensor x = at::full({10}, rank + 1, at::kFloat);
    int own = rank + 1, sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);  // in progress meanwhile
    group.all_reduce(x);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (sum != size * (size + 1) / 2 || !x.eq(sum).all().item<bool>()) throw std::runtime_error("a wrong sum");
    group.barrier();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    status = 1;
  }
  MPI_Finalize();
  if (status == 0) std::printf("own mpi: ok\n");
  return status;
}
