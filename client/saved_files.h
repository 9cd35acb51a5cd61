#pragma once
// SavedFiles: --save DIR keeps each encoded document of a run: for every row what its encoder
// wrote, or in a decode test what it decodes.
//
//   DIR/test.xml.exi-align-comp.exi   the input's name, the row's SPEC, the endings of its format
//
// Contract: what is in a name and could lead out of DIR, or be awkward there, becomes "_" or "-";
// no two documents of a run get one name (a number keeps them apart), and no input is replaced.
// What a former run left is. Tested by tests/unit/client/saved_files_test.cpp and
// tests/integration/exi.py.

#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/options.h"
#include "common/base/bytes.h"

namespace perfrelay::client {

class SavedFiles {
  public:
    // Makes `directory`. Nothing, and `why` with its name, when there can be none. `inputs`
    // outlives the result.
    static std::optional<SavedFiles> open(std::string directory, const std::vector<Input>& inputs,
                                          std::string& why);

    // The file's path; "" and `why` with its name when it cannot be written. `stop` as for
    // write_output.
    std::string save(const Input& input, const std::string& spec, Bytes encoded,
                     const std::atomic<int>& stop, std::string& why);

  private:
    SavedFiles(std::string directory, const std::vector<Input>& inputs)
        : directory_(std::move(directory)), inputs_(&inputs) {}
    bool is_input(const std::string& path) const;

    std::string directory_;
    const std::vector<Input>* inputs_;
    std::set<std::string> used_;
};

}  // namespace perfrelay::client
