#include "sim/cluster/history.h"

#include <gtest/gtest.h>

namespace moldau::sim {
namespace {

// Each bad history must be called by its name.
void expect_violation(const History& history, const std::string& name) {
  ASSERT_FALSE(history.violations().empty()) << name << " was not noticed";
  EXPECT_TRUE(history.violations()[0].starts_with(name)) << history.violations()[0];
}

TEST(History, AGoodOneIsQuiet) {
  History h;
  for (int i = 0; i < 5; ++i) h.send(1);
  h.acknowledged(0, 0);
  h.acknowledged(1, 1);
  h.seen(0, 0, 0);
  h.seen(1, 1, 1);
  h.seen(3, 2, 2);  // sent, never acknowledged: may be there or not
  h.acknowledged(1, 1);
  h.complete(3);
  EXPECT_TRUE(h.violations().empty());
}

TEST(History, BadOnesAreNamed) {
  {
    History h;
    h.send(1);
    h.acknowledged(0, 0);
    h.complete(0);
    expect_violation(h, "lost-write");
  }
  {
    History h;
    h.send(1);
    h.send(1);
    h.acknowledged(0, 0);
    h.seen(1, 0, 0);
    h.complete(1);
    expect_violation(h, "lost-write");
  }
  {
    History h;
    h.send(1);
    h.send(1);
    h.seen(1, 0, 0);
    h.acknowledged(0, 0);
    expect_violation(h, "lost-write");
  }
  {
    History h;
    h.send(1);
    h.acknowledged(0, 0);
    h.seen(0, 1, 1);
    expect_violation(h, "lost-write");
  }
  {
    History h;
    h.send(1);
    h.send(1);
    h.seen(0, 0, 0);
    h.seen(1, 0, 0);
    expect_violation(h, "inconsistent-offset");
  }
  {
    History h;
    h.send(1);
    h.seen(0, 0, 0);
    h.seen(0, 1, 1);
    expect_violation(h, "duplicate");
  }
  {
    History h;
    h.send(1);
    h.acknowledged(0, 0);
    h.acknowledged(0, 1);
    expect_violation(h, "duplicate");
  }
  {
    History h;
    h.send(1);
    h.seen(7, 0, 0);
    expect_violation(h, "phantom");
  }
  {
    History h;
    h.send(1);
    h.seen(0, 1, 0);
    expect_violation(h, "gap");
  }
  {
    History h;
    h.send(1);
    h.send(1);
    h.acknowledged(1, 5);
    h.acknowledged(0, 4);
    expect_violation(h, "nonmonotonic-send");
  }
}

}  // namespace
}  // namespace moldau::sim
