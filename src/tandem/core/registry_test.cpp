#include "tandem/core/registry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;
using Number = int;

const Catalog<Number> kNumbers("number", {{"One", 1}, {"Two", 2}});

TEST(Registry, FindsTheTableAndWhatWasAdded) {
  Registry<Number> registry(kNumbers);
  registry.add("Seven", 7);
  registry.add("mine>Eight", 8);
  EXPECT_EQ(registry.at("Two"), 2);
  EXPECT_EQ(registry.at("Seven"), 7);
  EXPECT_EQ(registry.at("Custom>Seven"), 7);
  EXPECT_EQ(registry.at("mine>Eight"), 8);
  EXPECT_EQ(registry.at("Eight"), 8);
  EXPECT_EQ(registry.full_name("Seven"), "Custom>Seven");
  EXPECT_EQ(registry.full_name("mine>Eight"), "mine>Eight");
  EXPECT_EQ(registry.full_name("Two"), "");
  EXPECT_EQ(registry.names(), (std::vector<std::string>{"One", "Two", "Custom>Seven", "mine>Eight"}));
}

TEST(Registry, PackagesStayApart) {
  Registry<Number> registry(kNumbers);
  registry.add("Two", 22);
  EXPECT_EQ(registry.at("Two"), 2) << "the table's own comes first";
  EXPECT_EQ(registry.at("Custom>Two"), 22);
  EXPECT_EQ(registry.added("Two"), 22);
  registry.add("a>Nine", 9);
  registry.add("b>Nine", 99);
  EXPECT_EQ(registry.at("b>Nine"), 99);
  EXPECT_FALSE(registry.added("Nine").has_value()) << "two packages have it";
  EXPECT_FALSE(registry.added("c>Nine").has_value());
  EXPECT_EQ(message_of([&] { registry.at("other>One"); }).find("number 'other>One' is not known"), 0U)
      << "a package's name is not the table's";
}

TEST(Registry, SaysWhatIsWrong) {
  Registry<Number> registry(kNumbers);
  registry.add("Seven", 7);
  EXPECT_EQ(message_of([&] { registry.add("Custom>Seven", 7); }), "register: number 'Custom>Seven' was added before");
  for (const char* name : {"", ">", "a>", ">a", "a>b>c"}) {
    EXPECT_EQ(message_of([&] { registry.add(name, 0); }),
              std::string("register: number must be named 'Name' or 'Package>Name', got '") + name + "'");
  }
  EXPECT_EQ(message_of([&] { registry.at("Tow"); }), "number 'Tow' is not known; did you mean 'Two'?");
  EXPECT_EQ(message_of([&] { registry.at("Custom>Sven"); }),
            "number 'Custom>Sven' is not known; did you mean 'Custom>Seven'?");
  EXPECT_EQ(message_of([&] { registry.at("Sevn"); }), "number 'Sevn' is not known; did you mean 'Seven'?");
}

TEST(Registry, MayBeFilledWhileItIsRead) {
  Registry<Number> registry(kNumbers);
  std::atomic<bool> ready = false;
  std::thread writer([&] {
    for (int i = 0; i < 2000; ++i) registry.add("n" + std::to_string(i), i);
    ready = true;
  });
  while (!ready) EXPECT_EQ(registry.at("One"), 1);
  writer.join();
  EXPECT_EQ(registry.at("n1999"), 1999);
}

}  // namespace
}  // namespace tandem
