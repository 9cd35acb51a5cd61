#pragma once
// What each option of the table that is a setting does: it puts one value into Options. False, and
// `why` ("'x': not a number, ...") when it cannot be. `value` is "" where the option takes none.
// Tested by tests/unit/client/options_test.cpp.

#include <string>

#include "client/options.h"

namespace perfrelay::client {

bool set_format(Options& options, const std::string& value, std::string& why);
bool set_decode(Options& options, const std::string& value, std::string& why);
bool set_encode(Options& options, const std::string& value, std::string& why);
bool set_zip(Options& options, const std::string& value, std::string& why);
bool set_lexical(Options& options, const std::string& value, std::string& why);
bool set_strict(Options& options, const std::string& value, std::string& why);
bool set_extensible(Options& options, const std::string& value, std::string& why);
bool set_schema_id(Options& options, const std::string& value, std::string& why);
bool set_catalogue(Options& options, const std::string& value, std::string& why);
bool set_network(Options& options, const std::string& value, std::string& why);
bool set_echo(Options& options, const std::string& value, std::string& why);
bool set_link(Options& options, const std::string& value, std::string& why);
bool set_link_file(Options& options, const std::string& value, std::string& why);
bool set_link_time(Options& options, const std::string& value, std::string& why);
bool set_budget(Options& options, const std::string& value, std::string& why);
bool set_plan(Options& options, const std::string& value, std::string& why);
bool set_price(Options& options, const std::string& value, std::string& why);
bool set_messages(Options& options, const std::string& value, std::string& why);
bool set_emulate(Options& options, const std::string& value, std::string& why);
bool set_secret_file(Options& options, const std::string& value, std::string& why);
bool set_tls_cert(Options& options, const std::string& value, std::string& why);
bool set_tls_key(Options& options, const std::string& value, std::string& why);
bool set_tls_ca(Options& options, const std::string& value, std::string& why);
bool set_stream(Options& options, const std::string& value, std::string& why);
bool set_multithread(Options& options, const std::string& value, std::string& why);
bool set_repeat(Options& options, const std::string& value, std::string& why);
bool set_time(Options& options, const std::string& value, std::string& why);
bool set_warmup(Options& options, const std::string& value, std::string& why);
bool set_warmup_time(Options& options, const std::string& value, std::string& why);
bool set_seed(Options& options, const std::string& value, std::string& why);
bool set_decode_into(Options& options, const std::string& value, std::string& why);
bool set_deflate(Options& options, const std::string& value, std::string& why);
bool set_processes(Options& options, const std::string& value, std::string& why);
bool set_precision(Options& options, const std::string& value, std::string& why);
bool set_require_convergence(Options& options, const std::string& value, std::string& why);
bool set_from(Options& options, const std::string& value, std::string& why);
bool set_whitespace(Options& options, const std::string& value, std::string& why);
bool set_binding(Options& options, const std::string& value, std::string& why);
bool set_max_document(Options& options, const std::string& value, std::string& why);
bool set_save(Options& options, const std::string& value, std::string& why);
bool set_quiet(Options& options, const std::string& value, std::string& why);
bool set_verbose(Options& options, const std::string& value, std::string& why);

}  // namespace perfrelay::client
