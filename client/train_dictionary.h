#pragma once
// `perfclient train-dictionary IN... OUT`: makes a dictionary for +zstd:dict=OUT from documents
// like those that will be sent, encoded by the format that it will pack.
//
// Contract: as convert's: OUT appears whole or not at all, one line and an exit status for what
// goes wrong. Every tenth document is not trained on, and says what the dictionary is worth.
// Tested by tests/integration/dictionary.py.

#include <span>

#include "proto/formats.h"

namespace perfrelay::client {

int train_dictionary_main(std::span<const char* const> words, const FormatTable& formats);

}  // namespace perfrelay::client
