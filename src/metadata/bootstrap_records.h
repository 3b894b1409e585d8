// The records that a new cluster begins with.
#pragma once
#include "metadata/record_buffer.h"

namespace moldau {

// Those of this release: metadata.version at its latest level; every other feature is at level 0, which needs no record.
RecordBuffer default_bootstrap_records();

}  // namespace moldau
