// The real world against the contracts that the simulated one is held to.
#include "io/posix/posix_file_system.h"
#include "io/posix/testdata/posix_world.h"
#include "io/testdata/file_system_contract.h"
#include "io/testdata/transport_contract.h"

namespace moldau::io {

struct PosixFiles {
  FileSystem& files() { return system; }
  std::string directory() { return temporary.path(); }
  TemporaryDirectory temporary;
  PosixFileSystem system;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Posix, FileSystemContract, PosixFiles);
INSTANTIATE_TYPED_TEST_SUITE_P(Posix, RuntimeContract, PosixWorld);
INSTANTIATE_TYPED_TEST_SUITE_P(Posix, TransportContract, PosixWorld);

}  // namespace moldau::io
