// The simulated world against the contracts that the real one is held to.
#include "io/testdata/file_system_contract.h"
#include "io/testdata/transport_contract.h"
#include "sim/sim_world.h"

namespace moldau::sim {

struct SimFiles {
  SimFiles() { EXPECT_TRUE(disk.create_directories("/data").has_value()); }
  SimFileSystem& files() { return disk; }
  std::string directory() { return "/data"; }
  SimFileSystem disk{1};
};

struct OneNode {
  OneNode() : node(world.add_node("n1")) { EXPECT_TRUE(node.disk().create_directories("/data").has_value()); }
  io::Runtime& runtime() { return node.runtime(); }
  void wait(std::atomic<int>& count, int n) {
    ASSERT_TRUE(world.run_until([&] { return count >= n; }, std::chrono::minutes(5))) << count << " of " << n;
  }
  std::string host() { return "n1"; }
  std::string directory() { return "/data"; }
  SimWorld world{{.seed = 11}};
  SimNode& node;
};

}  // namespace moldau::sim

namespace moldau::io {
INSTANTIATE_TYPED_TEST_SUITE_P(Sim, FileSystemContract, sim::SimFiles);
INSTANTIATE_TYPED_TEST_SUITE_P(Sim, RuntimeContract, sim::OneNode);
INSTANTIATE_TYPED_TEST_SUITE_P(Sim, TransportContract, sim::OneNode);
}  // namespace moldau::io
