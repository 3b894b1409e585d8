// What the system tells of this process. Reads files of /proc: in the pool.
#pragma once
#include "admin/node_sample.h"
#include "io/file_system.h"

namespace moldau::server {

admin::ProcessSample sample_process(io::FileSystem& files);

}  // namespace moldau::server
