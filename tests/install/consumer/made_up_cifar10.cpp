// Writes images in CIFAR-10's binary layout that a network can learn: noise around a brightness that the label decides.
#include <fstream>
#include <random>
#include <string>

namespace {

void write(const std::string& path, int records, unsigned seed) {
  std::mt19937 random(seed);
  std::ofstream out(path, std::ios::binary);
  for (int i = 0; i < records; ++i) {
    const unsigned label = static_cast<unsigned>(i) % 10;
    out.put(static_cast<char>(label));
    for (int byte = 0; byte < 3 * 32 * 32; ++byte) out.put(static_cast<char>(20 * label + random() % 32));
  }
}

}  // namespace

int main(int, char** arguments) {
  const std::string folder = arguments[1];
  write(folder + "/data_batch_1.bin", 1000, 1);
  write(folder + "/test_batch.bin", 200, 2);
}
