#pragma once
// Traps: a file and a port of this host that no reader of XML may touch, and whether one did.

#include <string>

namespace perfrelay::hostile {

class Traps {
  public:
    Traps();
    ~Traps();
    Traps(const Traps&) = delete;
    Traps& operator=(const Traps&) = delete;

    const std::string& file() const { return file_; }
    int port() const { return port_; }
    // What was touched since the last call, or "".
    std::string sprung();

  private:
    std::string folder_;
    std::string file_;
    int port_ = 0;
    int watch_ = -1;
    int listener_ = -1;
};

}  // namespace perfrelay::hostile
