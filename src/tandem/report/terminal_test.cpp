#include "tandem/report/terminal.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

namespace tandem::report {
namespace {

// Sets a variable of the environment for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value, 1);
  }
  ~Variable() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(TerminalTest, TheVariableComesFirst) {
  const Variable columns("COLUMNS", "132");
  EXPECT_EQ(terminal_columns(), 132);
}

TEST(TerminalTest, ANumberThatIsNoneIsLeftOut) {
  for (const char* text : {"", "0", "-5", "wide"}) {
    const Variable columns("COLUMNS", text);
    EXPECT_GT(terminal_columns(), 0) << text;
  }
}

TEST(TerminalTest, AStringIsNoTerminalAndADumbOneNeither) {
  std::ostringstream text;
  EXPECT_FALSE(is_terminal(text));
  const Variable dumb("TERM", "dumb");
  EXPECT_FALSE(is_terminal(std::cout));
}

}  // namespace
}  // namespace tandem::report
