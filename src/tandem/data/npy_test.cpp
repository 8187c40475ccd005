#include "tandem/data/npy.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/data/dataset.h"
#include "tandem/data/loader.h"
#include "tandem/data/message_of_test.h"
#include "tandem/testing/npy.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

// Arrays that NumPy wrote: 0 to 23.
std::string numpy_file(const std::string& name) { return testing::fixture("keras/numpy/arrays/" + name); }

Tensor counted(at::ScalarType type) {
  const Tensor count = at::arange(24).view({2, 3, 4});
  return type == at::kBool ? count.remainder(2).eq(1) : count.to(type);
}

void expect_counted(const std::string& path, at::ScalarType type) {
  for (const bool memory_map : {false, true}) {
    const Tensor read = load_npy(path, {.memory_map = memory_map});
    EXPECT_EQ(read.scalar_type(), type) << path;
    EXPECT_TRUE(at::equal(read, counted(type))) << path << "\n" << read;
  }
}

TEST(Npy, ReadsEveryTypeInBothByteOrders) {
  const std::map<std::string, at::ScalarType> types{
      {"bool", at::kBool},      {"int8", at::kChar},    {"int16", at::kShort},  {"int32", at::kInt},
      {"int64", at::kLong},     {"uint8", at::kByte},   {"float16", at::kHalf}, {"float32", at::kFloat},
      {"float64", at::kDouble}, {"big_i2", at::kShort}, {"big_i4", at::kInt},   {"big_i8", at::kLong},
      {"big_f2", at::kHalf},    {"big_f4", at::kFloat}, {"big_f8", at::kDouble}};
  for (const auto& [name, type] : types) expect_counted(numpy_file(name + ".npy"), type);
}

TEST(Npy, ReadsFortranOrderAndAllVersions) {
  expect_counted(numpy_file("fortran.npy"), at::kFloat);
  expect_counted(numpy_file("fortran_big.npy"), at::kInt);
  expect_counted(numpy_file("version2.npy"), at::kFloat);
  expect_counted(numpy_file("version3.npy"), at::kFloat);
  EXPECT_EQ(load_npy(numpy_file("scalar.npy")).dim(), 0);
  EXPECT_EQ(load_npy(numpy_file("scalar.npy")).item<double>(), -2.5);
  EXPECT_EQ(load_npy(numpy_file("empty.npy"), {.memory_map = true}).sizes(), at::IntArrayRef({0, 4}));
}

TEST(Npy, WritesTheBytesThatNumPyWrites) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"bool", "int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64",
                           "scalar", "empty", "vector"}) {
    const auto file = numpy_file(std::string(name) + ".npy");
    save_npy(folder.file("again.npy"), load_npy(file));
    EXPECT_EQ(testing::file_bytes(folder.file("again.npy")), testing::file_bytes(file)) << name;
  }
  save_npy(folder.file("turned.npy"), counted(at::kFloat).transpose(0, 2));
  EXPECT_TRUE(at::equal(load_npy(folder.file("turned.npy")), counted(at::kFloat).transpose(0, 2)));
}

TEST(Npy, AMappedFileServesRowsAndIsNeverWrittenTo) {
  const testing::TemporaryFolder folder;
  const Tensor x = at::arange(40 * 3, at::kFloat).view({40, 3});
  save_npy(folder.file("x.npy"), x);
  const auto bytes = testing::file_bytes(folder.file("x.npy"));
  Tensor mapped = load_npy(folder.file("x.npy"), {.memory_map = true});
  const Dataset rows = data::TensorDataset(mapped);
  EXPECT_EQ(rows.x().const_data_ptr<float>(), mapped.const_data_ptr<float>());  // a view, no copy
  data::Loader loader(rows.shuffle(1), {.batch_size = 16, .workers = 2});
  loader.start_epoch(0);
  double sum = 0;
  while (auto batch = loader.next()) sum += batch->x[0].sum().item<double>();
  EXPECT_EQ(sum, x.sum().item<double>());
  mapped.fill_(-1);
  EXPECT_EQ(testing::file_bytes(folder.file("x.npy")), bytes);
}

TEST(Npy, RefusesWhatItCannotRead) {
  const testing::TemporaryFolder folder;
  const auto error = [&](const std::string& file, bool memory_map = false) {
    return data::message_of<DataError>([&] { load_npy(file, {.memory_map = memory_map}); });
  };
  EXPECT_EQ(error(folder.file("none.npy")), folder.file("none.npy") + ": cannot be read: No such file or directory");
  EXPECT_EQ(error(folder.write("text.npy", "x")), folder.file("text.npy") + ": is not a .npy array");
  EXPECT_EQ(error(numpy_file("refused_uint16.npy")),
            numpy_file("refused_uint16.npy") +
                ": arrays of type <u2 are not read; bool, int8 to int64, uint8 and float16 to float64 are");
  for (const char* type : {"complex64", "fields", "little_U3"}) {
    const auto file = numpy_file(std::string("refused_") + type + ".npy");
    EXPECT_NE(error(file).find(": arrays of type "), std::string::npos) << error(file);
  }
  const auto whole = testing::file_bytes(numpy_file("float32.npy"));
  const auto with = [&](std::size_t at, const std::string& text) {
    std::string bytes = whole;
    return folder.write("changed.npy", bytes.replace(at, text.size(), text));
  };
  const auto changed = folder.file("changed.npy");
  for (const bool memory_map : {false, true}) {
    EXPECT_EQ(error(folder.write("cut.npy", whole.substr(0, whole.size() - 1)), memory_map),
              folder.file("cut.npy") + ": must hold 96 bytes of data for its shape (2, 3, 4), holds 95");
    EXPECT_EQ(error(folder.write("long.npy", whole + "1"), memory_map),
              folder.file("long.npy") + ": must hold 96 bytes of data for its shape (2, 3, 4), holds 97");
  }
  EXPECT_EQ(error(folder.write("header.npy", whole.substr(0, 40))),
            folder.file("header.npy") + ": ends within its header");
  EXPECT_EQ(error(with(6, "\x04")), changed + ": is of version 4 of the .npy format; 1 to 3 are read");
  EXPECT_EQ(error(with(9, "\x7f")), changed + ": its header must have at most 10000 bytes, has 32630");
  const auto shape = whole.find("(2, 3, 4)");
  EXPECT_EQ(error(with(shape, "(2, x, 4)")), changed + ": the header is not that of a .npy array");
  EXPECT_EQ(error(with(shape, "(-2,3, 4)")), changed + ": the header is not that of a .npy array");
  const auto huge = "(9000000000000000000, 9000000000000000000)}";
  EXPECT_NE(error(with(shape, huge)).find("is too large"), std::string::npos) << error(with(shape, huge));
  EXPECT_EQ(error(with(whole.find("'shape'"), "'shapf'")), changed + ": the header is not that of a .npy array");
}

TEST(Npy, RefusesTypesThatNumPyDoesNotHave) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(data::message_of<InvalidArgument>([&] { save_npy(folder.file("b.npy"), at::ones({2}, at::kBFloat16)); }),
            "save_npy: NumPy has no arrays of type BFloat16; convert the tensor first");
  EXPECT_EQ(data::message_of<InvalidArgument>([&] { save_npy(folder.file("u.npy"), Tensor()); }),
            "save_npy: the tensor is undefined");
  EXPECT_FALSE(std::filesystem::exists(folder.file("b.npy")));
  EXPECT_THROW(save_npy(folder.file("no/x.npy"), at::ones({2})), DataError);
}

}  // namespace
}  // namespace tandem
