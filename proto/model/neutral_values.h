#pragma once
// What neutral JSON has at its leaves: members of an object, scalars, dates, bytes. The first fault
// counts; every reader returns false, or null, once there is one.
// Part of neutral_json_reader.cpp. Tested by tests/unit/proto/neutral_json_test.cpp.

#include <cstdint>
#include <string>
#include <string_view>

#include <rapidjson/document.h>

#include "proto/model/object_graph.h"

namespace perfrelay {

// JSON for RapidJSON, which refuses escapes of lone surrogates: they become their three bytes.
std::string without_lone_surrogates(std::string_view json);

class NeutralValues {
  protected:
    using Json = rapidjson::Value;

    explicit NeutralValues(ObjectGraph& graph) : graph_(graph) {}

    static std::string_view view(const Json& json) {
        return {json.GetString(), json.GetStringLength()};
    }

    const char* why() const { return why_; }
    bool fail(const char* why) {
        if (*why_ == '\0') why_ = why;
        return false;
    }

    static const Json* member(const Json& json, const char* name);
    const Json* array(const Json& json, const char* name);
    bool flag(const Json& json, const char* name, bool& to);
    const graph::Text* text(const Json* json);
    bool scalar(graph::ValueKind kind, const Json& json, graph::Value& to);
    bool date(const Json* ms, graph::Node& made);
    bool hex(const Json* json, graph::Node& made);

  private:
    bool integer(const Json* json, std::int64_t least, std::int64_t most, std::int64_t& to);
    bool bits(const Json& json, unsigned digits, graph::Value& to, graph::ValueKind kind);
    static bool whole(const Json* json, std::int64_t& to);

    ObjectGraph& graph_;
    std::string scratch_;
    const char* why_ = "";
};

}  // namespace perfrelay
