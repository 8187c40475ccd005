// Safetensors files that are cut short, changed, or made to do harm: a DataError that names the tensor, and nothing
// else. The format's own library refuses them, too, but for a key that comes twice.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tandem/core/error.h"
#include "tandem/saving/keras_networks_test.h"
#include "tandem/saving/safetensors.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"

namespace tandem::saving {
namespace {

using testing::fixture;
using testing::message_of;

// A file with this header as it stands, and zero bytes after it.
std::string file_of(const std::string& header, std::size_t values) {
  const uint64_t length = header.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + header + std::string(values, '\0');
}

class DamagedSafetensors : public ::testing::Test {
 protected:
  // What is said of a file of these bytes, without its name.
  std::string refused(const std::string& bytes) {
    const std::string path = folder_.file("a.safetensors");
    write_bytes(path, bytes);
    const auto message = message_of<DataError>([&] { load_safetensors(path); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.starts_with(path + ": ") ? message.substr(path.size() + 2) : message;
  }
  std::string refused_header(const std::string& header, std::size_t values = 0) {
    return refused(file_of(header, values));
  }
  // Of one tensor "a".
  std::string refused_tensor(const std::string& about, std::size_t values = 8) {
    return refused_header(R"({"a":{)" + about + "}}", values);
  }

  ScratchFolder folder_;
};

TEST_F(DamagedSafetensors, CutShortAnywhere) {
  const std::string whole = read_bytes(fixture("safetensors/types.safetensors"));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(refused(whole.substr(0, length)), "nothing was thrown") << length;
  EXPECT_EQ(refused(whole.substr(0, 5)), "is too short for a safetensors file, has 5 bytes");
  EXPECT_NE(refused(whole + "x").find("its tensors must fill the"), std::string::npos);
}

TEST_F(DamagedSafetensors, TheHeadersLength) {
  std::string bytes(8, '\xff');
  EXPECT_EQ(refused(bytes),
            "its header must have at most 100000000 bytes and lie within the file's 8, declares 18446744073709551615");
  bytes = file_of("{}", 0);
  bytes[0] = 3;
  EXPECT_EQ(refused(bytes), "its header must have at most 100000000 bytes and lie within the file's 10, declares 3");
  // A header of 100 MB and one byte, in a file that takes no room on the disk.
  const std::string path = folder_.file("sparse.safetensors");
  std::string start = file_of("{", 0);
  start[0] = 0x01;
  start[1] = static_cast<char>(0xe1);
  start[2] = static_cast<char>(0xf5);
  start[3] = 0x05;
  write_bytes(path, start);
  std::filesystem::resize_file(path, 200'000'000);
  EXPECT_NE(message_of<DataError>([&] { load_safetensors(path); }).find("declares 100000001"), std::string::npos);
}

TEST_F(DamagedSafetensors, TheHeadersText) {
  EXPECT_EQ(refused_header(""), "header: must begin with '{'");
  EXPECT_EQ(refused_header("\xef\xbb\xbf{}"), "header: must begin with '{'");  // a mark of the byte order
  EXPECT_EQ(refused_header("[]"), "header: must begin with '{'");
  EXPECT_EQ(refused_header(R"({"a":)"), "header: is no JSON text, from byte 6 of it on");
  EXPECT_EQ(refused_header(R"({} {})"), "header: is no JSON text, from byte 4 of it on");
  EXPECT_NE(refused_header("{\"\xff\":{}}").find("is no JSON text"), std::string::npos);
  EXPECT_EQ(refused_header(R"({"a":1})"), R"(header: member "a" must be an object, is the number 1)");
  EXPECT_EQ(refused_header(R"({"a":[]})"), R"(header: member "a" must be an object, is a list)");
  EXPECT_EQ(refused_header(R"({"__metadata__":{"k":1}})"),
            R"(header: __metadata__: member "k" must be a text, is the number 1)");
  EXPECT_EQ(refused_header(R"({"__metadata__":{"k":{}}})"),
            R"(header: __metadata__: member "k" must be a text, is an object)");
  EXPECT_EQ(refused_header(R"({"__metadata__":{"k":"a","k":"b"}})"),
            R"(header: __metadata__: must have each key once, has "k" twice)");
  EXPECT_EQ(refused_header(R"({"__metadata__":{},"__metadata__":{}})"), "header: __metadata__ must be there once");
}

TEST_F(DamagedSafetensors, DeepNesting) {
  for (const std::string open : {"[", R"({"a":)"}) {
    std::string deep;
    for (int i = 0; i < 1000000; ++i) deep += open;
    EXPECT_NE(refused_header(R"({"a":)" + deep), "nothing was thrown");
    EXPECT_NE(refused_header(R"({"a":{"shape":)" + deep), "nothing was thrown");
    EXPECT_NE(refused_header(R"({"__metadata__":)" + deep), "nothing was thrown");
  }
}

TEST_F(DamagedSafetensors, WhatIsSaidOfATensor) {
  EXPECT_EQ(refused_tensor(R"("dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8])"),
            R"(tensor "a": dtype must be one of I64, F64, F32, I32, BF16, F16, I16, I8, U8, BOOL, is "F8_E4M3")");
  EXPECT_EQ(refused_tensor(R"("dtype":"F32","shape":[2])"), R"(tensor "a": must have dtype, shape and data_offsets)");
  EXPECT_EQ(refused_tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,8],"code":1)"),
            R"(tensor "a": must have dtype, shape and data_offsets, has "code")");
  EXPECT_EQ(refused_tensor(R"("dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8])"),
            R"(tensor "a": must have dtype once)");
  EXPECT_EQ(refused_tensor(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"),
            R"(tensor "a": member shape must be a list of whole numbers, has the number -2)");
  EXPECT_EQ(refused_tensor(R"("dtype":"F32","shape":[2.0],"data_offsets":[0,8])"),
            R"(tensor "a": member shape must be a list of whole numbers, has the number 2.0)");
  EXPECT_EQ(refused_tensor(R"("dtype":"F32","shape":[[2]],"data_offsets":[0,8])"),
            R"(tensor "a": member shape must be a list of whole numbers, has a list)");
  EXPECT_EQ(refused_tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,8,8])"),
            R"(tensor "a": data_offsets must be two numbers, got more)");
  EXPECT_EQ(refused_tensor(R"("dtype":"F32","shape":[2],"data_offsets":[8])"),
            R"(tensor "a": data_offsets must be two numbers)");
  EXPECT_EQ(refused_tensor(R"("dtype":3,"shape":[2],"data_offsets":[0,8])"),
            R"(tensor "a": member dtype must be a text, has the number 3)");
  std::string sizes = "1";
  for (int i = 0; i < 64; ++i) sizes += ",1";
  EXPECT_EQ(refused_tensor(R"("dtype":"F32","shape":[)" + sizes + R"(],"data_offsets":[0,4])", 4),
            R"(tensor "a": shape must have at most 64 axes)");
}

TEST_F(DamagedSafetensors, HugeShapesTakeNoMemory) {
  EXPECT_EQ(refused_tensor(R"("dtype":"F32","shape":[1099511627776,1048576],"data_offsets":[0,8])"),
            R"(tensor "a": must have 4611686018427387904 bytes for F32 (1099511627776, 1048576), has 8)");
  EXPECT_EQ(refused_tensor(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8])"),
            R"(tensor "a": has a shape of more bytes than can be counted, (4294967296, 4294967296))");
  // 2^64 / 4 elements would make 0 bytes if the product ran over.
  EXPECT_NE(refused_tensor(R"("dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0])", 0)
                .find("more bytes than can be counted"),
            std::string::npos);
  EXPECT_NE(refused_tensor(R"("dtype":"F32","shape":[0,4294967296,4294967296],"data_offsets":[0,0])", 0)
                .find("more bytes than can be counted"),
            std::string::npos);
  EXPECT_EQ(refused_tensor(R"("dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8])"),
            R"(tensor "a": a size must fit into 63 bits, got 18446744073709551615)");
  EXPECT_EQ(refused_tensor(R"("dtype":"F32","shape":[184467440737095516160],"data_offsets":[0,8])"),
            R"(tensor "a": member shape must be a list of whole numbers, has the number 184467440737095516160)");
}

TEST_F(DamagedSafetensors, OffsetsHolesAndOverlaps) {
  const auto two = [&](const std::string& first, const std::string& second, std::size_t values) {
    return refused_header(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first +
                              R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}",
                          values);
  };
  EXPECT_EQ(two("[0,4]", "[2,6]", 8), R"(tensor "b": overlaps the tensor before it, which ends at byte 4)");
  EXPECT_EQ(two("[0,4]", "[0,4]", 4), R"(tensor "b": overlaps the tensor before it, which ends at byte 4)");
  EXPECT_EQ(two("[0,4]", "[6,10]", 10), R"(tensor "b": leaves a hole in front of it, from byte 4 on)");
  EXPECT_EQ(two("[4,8]", "[8,12]", 12), R"(tensor "a": leaves a hole in front of it, from byte 0 on)");
  EXPECT_EQ(two("[0,4]", "[4,8]", 9), "its tensors must fill the 9 bytes after the header, fill 8");
  EXPECT_EQ(two("[0,4]", "[4,8]", 7), R"(tensor "b": must lie within the 7 bytes of values, ends at byte 8)");
  EXPECT_EQ(two("[4,0]", "[4,8]", 8), R"(tensor "a": must end after its beginning, is from byte 4 to 0)");
  EXPECT_EQ(two("[0,3]", "[3,7]", 7), R"(tensor "a": must have 4 bytes for U8 (4,), has 3)");
  EXPECT_EQ(
      refused_header(
          R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
          8),
      R"(tensor "a": must be there once)");
}

TEST_F(DamagedSafetensors, TruthValuesAndNames) {
  std::string bytes = file_of(R"({"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", 2);
  bytes.back() = 2;
  EXPECT_EQ(refused(bytes), R"(tensor "a": truth values must be 0 or 1)");
  // A name must not be able to write lines of its own.
  EXPECT_EQ(refused_header(R"({"a\nb":{"dtype":"U8","shape":[1],"data_offsets":[0,2]}})", 2).find('\n'),
            std::string::npos);
}

TEST_F(DamagedSafetensors, ChangedBytesAreAnErrorOrOtherValues) {
  const std::string whole = read_bytes(fixture("safetensors/types.safetensors"));
  int errors = 0;
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ (place % 2 == 0 ? 0xFF : 0x10));
    write_bytes(folder_.file("a.safetensors"), changed);
    try {
      load_safetensors(folder_.file("a.safetensors"));
    } catch (const DataError&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, 100);
}

}  // namespace
}  // namespace tandem::saving
