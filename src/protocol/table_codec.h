// The codec that reads the tables: any message, one field after another. codec.h is the door to it.
#pragma once
#include <string>

#include "protocol/decoder.h"
#include "protocol/encoder.h"
#include "protocol/message.h"

namespace moldau::protocol {

// False: `in` has failed, and `where` names the field and the byte at which it begins: "topicData[0].name at byte 17".
bool decode_with_tables(const MessageInfo& info, Decoder& in, int16_t version, void* message,
                        std::string& where);
void encode_with_tables(const MessageInfo& info, const void* message, int16_t version, Encoder& out);

}  // namespace moldau::protocol
