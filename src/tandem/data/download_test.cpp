#include "tandem/data/download.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/core/sha256.h"
#include "tandem/data/cifar10.h"
#include "tandem/data/http_server_test.h"
#include "tandem/data/message_of_test.h"
#include "tandem/data/mnist.h"
#include "tandem/testing/npy.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem::data {
namespace {

namespace fs = std::filesystem;

// An environment variable for the length of a test; null: unset.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name), before_(std::getenv(name) ? std::getenv(name) : "") {
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

class Download : public ::testing::Test {
 protected:
  Download() : sink_(set_log_sink([](LogLevel, const std::string&) {})) {
    for (int i = 0; i < 300000; ++i) bytes_ += static_cast<char>(i ^ (i >> 8));
    served_.write("x.bin", bytes_);
    sha256_ = sha256_of(served_.file("x.bin"));
  }
  ~Download() override { set_log_sink(sink_); }

  RemoteFile remote(const std::vector<std::string>& ways) const {
    RemoteFile file{"x.bin", {}, static_cast<int64_t>(bytes_.size()), sha256_};
    for (const auto& way : ways) file.urls.push_back(server_.url(way + "/x.bin"));
    return file;
  }
  void get(const RemoteFile& file) const { download(file, folder_.path() / "kept", "set"); }
  std::string refusal(const RemoteFile& file) const {
    return message_of<Error>([&] { get(file); });
  }
  std::string kept() const { return testing::file_bytes(folder_.file("kept/x.bin")); }
  std::string requests() const { return testing::file_bytes(served_.file("requests.txt")); }
  bool has_part() const { return fs::exists(folder_.file("kept/x.bin.part")); }

  testing::TemporaryFolder served_, folder_;
  HttpServer server_{testing::fixture("http_server.py"), served_.path().string()};
  Variable no_proxy_{"no_proxy", "127.0.0.1"};
  std::string bytes_, sha256_;
  LogSink sink_;
};

TEST(Sha256, IsThatOfTheStandard) {
  const testing::TemporaryFolder folder;  // FIPS 180-2, B.1 and the empty message
  EXPECT_EQ(sha256_of(folder.write("x", "abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of(folder.write("x", "")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_THROW(sha256_of(folder.file("no")), DataError);
}

TEST_F(Download, FetchesOnceAndFollowsRedirects) {
  get(remote({"redirect"}));
  EXPECT_EQ(kept(), bytes_);
  EXPECT_FALSE(has_part());
  EXPECT_EQ(requests(), "/redirect/x.bin \n/plain/x.bin \n");
  get(remote({"redirect"}));
  EXPECT_EQ(requests(), "/redirect/x.bin \n/plain/x.bin \n");
}

TEST_F(Download, GoesOnWhereItWasCut) {
  EXPECT_NE(refusal(remote({"cut"})).find("set: cannot download x.bin (http://"), std::string::npos);
  EXPECT_TRUE(has_part());
  EXPECT_FALSE(fs::exists(folder_.file("kept/x.bin")));
  get(remote({"plain"}));
  EXPECT_EQ(kept(), bytes_);
  EXPECT_EQ(requests(), "/cut/x.bin \n/plain/x.bin bytes=150000-\n");
}

TEST_F(Download, BeginsAnewWhereTheServerCannotGoOn) {
  folder_.write("kept/x.bin.part", bytes_.substr(0, 1000));
  get(remote({"norange"}));
  EXPECT_EQ(kept(), bytes_);
}

TEST_F(Download, APartOfAnotherFileIsThrownAway) {
  folder_.write("kept/x.bin.part", std::string(1000, '?'));
  get(remote({"plain"}));
  EXPECT_EQ(kept(), bytes_);
  fs::remove(folder_.file("kept/x.bin"));
  folder_.write("kept/x.bin.part", std::string(bytes_.size() + 5, '?'));
  get(remote({"plain"}));
  EXPECT_EQ(kept(), bytes_);
  fs::remove(folder_.file("kept/x.bin"));
  folder_.write("kept/x.bin.part", bytes_);  // complete, and not yet renamed
  get(remote({"missing"}));
  EXPECT_EQ(kept(), bytes_);
}

TEST_F(Download, TriesTheNextPlace) {
  auto file = remote({"plain", "plain"});
  file.urls.front() = server_.url("plain/nothing");
  get(file);
  EXPECT_EQ(kept(), bytes_);
}

TEST_F(Download, WrongBytesAreRefused) {
  auto file = remote({"plain"});
  file.sha256 = std::string(64, '0');
  EXPECT_EQ(refusal(file), "set: cannot download x.bin (" + file.urls[0] + ": its SHA-256 must be " + file.sha256 +
                               ", is " + sha256_ + "); a folder that holds the files can be given instead");
  EXPECT_FALSE(fs::exists(folder_.file("kept/x.bin")));
  EXPECT_FALSE(has_part());
  file = remote({"plain"});
  file.bytes -= 1;
  EXPECT_NE(refusal(file).find(": it must have 299999 bytes, has more"), std::string::npos) << refusal(file);
  EXPECT_LE(fs::file_size(folder_.file("kept/x.bin.part")), 299999U);
  file.bytes += 2;
  EXPECT_NE(refusal(file).find(": it ended after 300000 of 300001 bytes"), std::string::npos) << refusal(file);
}

TEST_F(Download, AFileWithoutAKnownChecksumIsNotFetched) {
  auto file = remote({"plain"});
  file.sha256.clear();
  EXPECT_EQ(refusal(file), "set: x.bin is not fetched, its SHA-256 or size is not known");
  EXPECT_EQ(requests(), "");
}

TEST_F(Download, WhatCannotBeReachedIsSaidInOneLine) {
  auto file = remote({"plain"});
  file.urls = {server_.url("plain/nothing"), "http://127.0.0.1:1/x.bin", "file://" + served_.file("x.bin")};
  const auto line = refusal(file);
  EXPECT_EQ(line.find("set: cannot download x.bin (" + file.urls[0] + ": "), 0U) << line;
  EXPECT_NE(line.find("404"), std::string::npos) << line;
  EXPECT_NE(line.find("; " + file.urls[1] + ": "), std::string::npos) << line;
  EXPECT_NE(line.find("; " + file.urls[2] + ": "), std::string::npos) << line;
  EXPECT_TRUE(line.ends_with("); a folder that holds the files can be given instead")) << line;
}

TEST_F(Download, OneOfSeveralFetches) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { get(remote({"plain"})); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(kept(), bytes_);
  EXPECT_EQ(requests(), "/plain/x.bin \n");
}

// A key and a certificate for 127.0.0.1 that nobody has signed.
void write_certificate(const std::string& path) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("127.0.0.1"), -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  X509_sign(certificate, key, EVP_sha256());
  std::FILE* file = std::fopen(path.c_str(), "w");
  PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
  PEM_write_X509(file, certificate);
  std::fclose(file);
  X509_free(certificate);
  EVP_PKEY_free(key);
}

TEST_F(Download, HttpsIsVerified) {
  write_certificate(folder_.file("server.pem"));
  const HttpServer https(testing::fixture("http_server.py"), served_.path().string(), folder_.file("server.pem"));
  auto file = remote({"plain"});
  file.urls = {https.url("plain/x.bin")};
  EXPECT_NE(refusal(file).find("certificate"), std::string::npos) << refusal(file);
  EXPECT_FALSE(fs::exists(folder_.file("kept/x.bin")));
  EXPECT_EQ(requests(), "");
}

TEST_F(Download, DataSetsWithoutANetworkSaySo) {
  const Variable proxy("https_proxy", "http://127.0.0.1:1"), data("TANDEM_DATA", folder_.path().c_str());
  const auto line = [](const std::function<void()>& call) { return message_of<DataError>(call); };
  const auto cifar10 = line([] { datasets::cifar10({.download = true}); });
  EXPECT_EQ(cifar10.find("cifar10: cannot download cifar-10-binary.tar.gz (https://www.cs.toronto.edu/~kriz/"), 0U)
      << cifar10;
  EXPECT_NE(cifar10.find("127.0.0.1"), std::string::npos) << cifar10;
  const auto mnist = line([] { datasets::mnist({.download = true}); });
  EXPECT_EQ(mnist.find("mnist: cannot download train-images-idx3-ubyte.gz (https://ossci-datasets"), 0U) << mnist;
  const auto fashion = line([&] { datasets::fashion_mnist({.path = folder_.file("f"), .download = true}); });
  EXPECT_EQ(fashion.find("fashion_mnist: cannot download train-images-idx3-ubyte.gz (https://storage"), 0U) << fashion;
  EXPECT_TRUE(fs::exists(folder_.path() / "cifar10"));
  EXPECT_EQ(line([] { datasets::mnist(); }).find("mnist: the folder " + folder_.file("mnist") + " must hold "), 0U);
}

TEST(CacheFolder, IsNamedByTheEnvironment) {
  {
    const Variable data("TANDEM_DATA", "/somewhere");
    EXPECT_EQ(cache_folder("mnist"), "/somewhere/mnist");
  }
  const Variable data("TANDEM_DATA", nullptr);
  {
    const Variable home("HOME", "/home/me");
    EXPECT_EQ(cache_folder("mnist"), "/home/me/.cache/tandem/datasets/mnist");
  }
  const Variable home("HOME", nullptr);
  EXPECT_EQ(message_of<InvalidArgument>([] { cache_folder("mnist"); }),
            "mnist: give the folder of its files, or name one for all in TANDEM_DATA");
}

}  // namespace
}  // namespace tandem::data
