#include "client/inputs.h"

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace perfrelay::client {
namespace {

class inputs : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "perfrelay_inputs_XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::string file(const std::string& name, const std::string& content) {
        const std::string path = directory_ + "/" + name;
        std::ofstream(path, std::ios::binary) << content;
        return path;
    }

    // "" when it was read, else the reason, which must be one line that begins with the name.
    std::string problem(const std::string& path, const Limits& limits = {}) {
        std::string why;
        if (read_input(path, limits, nullptr, why)) return "";
        EXPECT_EQ(why.find('\n'), std::string::npos);
        EXPECT_TRUE(why.starts_with(path + ": ")) << why;
        return why.substr(path.size() + 2);
    }

    std::string directory_;
};

TEST_F(inputs, reads_every_byte) {
    std::string content = "<a>\n";
    content += '\0';
    content += "\xff\xfe</a>\r\n";
    const std::string path = file("a.xml", content);
    std::string why;
    const auto document = read_input(path, Limits{}, nullptr, why);
    ASSERT_TRUE(document) << why;
    EXPECT_EQ(document->name, path);
    EXPECT_EQ(as_text(document->source.view()), content);
}

TEST_F(inputs, reads_what_is_larger_than_a_chunk) {
    const std::string content(1'000'003, 'x');
    std::string why;
    const auto document = read_input(file("big.xml", content), Limits{}, nullptr, why);
    ASSERT_TRUE(document) << why;
    EXPECT_EQ(as_text(document->source.view()), content);
}

TEST_F(inputs, names_what_is_wrong) {
    EXPECT_EQ(problem(directory_ + "/missing.xml"), "cannot be opened: No such file or directory");
    EXPECT_EQ(problem(directory_), "a directory, and no documents in it are read here");
    EXPECT_EQ(problem(file("empty.xml", "")), "empty");
    EXPECT_EQ(problem("/dev/zero"), "a device, not a file");
    EXPECT_EQ(problem("/dev/null"), "a device, not a file");
    EXPECT_EQ(problem(file("a.xml", "x") + "/b.xml"), "cannot be opened: Not a directory");
}

TEST_F(inputs, names_a_file_that_may_not_be_read) {
    const std::string path = file("secret.xml", "<a/>");
    ASSERT_EQ(::chmod(path.c_str(), 0), 0);
    // Root may read everything: be nobody for a moment.
    const bool root = ::geteuid() == 0;
    if (root && ::seteuid(65534) != 0) GTEST_SKIP() << "root, and cannot be anybody else";
    EXPECT_EQ(problem(path), "cannot be opened: Permission denied");
    if (root) {
        ASSERT_EQ(::seteuid(0), 0);
    }
}

TEST_F(inputs, keeps_the_limit_exactly) {
    Limits limits;
    limits.max_document = 1000;
    EXPECT_EQ(problem(file("fits.xml", std::string(1000, 'x')), limits), "");
    EXPECT_EQ(problem(file("over.xml", std::string(1001, 'x')), limits),
              "larger than 1000 bytes; --max-document SIZE raises the limit");
}

TEST_F(inputs, refuses_a_huge_file_without_reserving_memory_for_it) {
    const std::string path = file("sparse.xml", "x");
    std::filesystem::resize_file(path, std::uintmax_t{1} << 40U);
    EXPECT_EQ(problem(path), "larger than 1073741824 bytes; --max-document SIZE raises the limit");
}

TEST_F(inputs, reads_a_pipe_to_its_end_and_keeps_the_limit_there) {
    const std::string path = directory_ + "/pipe";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const auto feed = [&path](std::size_t size) {
        return std::thread([&path, size] {
            std::ofstream out(path, std::ios::binary);
            for (std::size_t i = 0; i < size; i += 1000)
                out << std::string(1000, 'x') << std::flush;
        });
    };
    {
        std::thread feeder = feed(200'000);
        std::string why;
        const auto document = read_input(path, Limits{}, nullptr, why);
        feeder.join();
        ASSERT_TRUE(document) << why;
        EXPECT_EQ(document->source.size(), 200'000U);
    }
    // Without the limit this would go on; the feeder ends by SIGPIPE turned into a failed write.
    const auto old = std::signal(SIGPIPE, SIG_IGN);
    std::thread feeder = feed(2'000'000);
    Limits limits;
    limits.max_document = 100'000;
    EXPECT_EQ(problem(path, limits),
              "larger than 100000 bytes; --max-document SIZE raises the limit");
    feeder.join();
    std::signal(SIGPIPE, old);
}

// Standard input for the time of one object.
class StandardInput {
  public:
    explicit StandardInput(int fd) : saved_(::dup(STDIN_FILENO)) {
        ::dup2(fd, STDIN_FILENO);
        ::close(fd);
    }
    StandardInput(const StandardInput&) = delete;
    StandardInput& operator=(const StandardInput&) = delete;
    ~StandardInput() {
        ::dup2(saved_, STDIN_FILENO);
        ::close(saved_);
    }

  private:
    int saved_;
};

TEST_F(inputs, a_dash_is_standard_input) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    ASSERT_EQ(::write(ends[1], "<a/>", 4), 4);
    ::close(ends[1]);
    const StandardInput input(ends[0]);
    std::string why;
    const auto document = read_input("-", Limits{}, nullptr, why);
    ASSERT_TRUE(document) << why;
    EXPECT_EQ(document->name, "-");
    EXPECT_EQ(as_text(document->source.view()), "<a/>");
    // It is still open for whoever comes next, and has nothing more.
    EXPECT_FALSE(read_input("-", Limits{}, nullptr, why));
    EXPECT_EQ(why, "standard input: empty");
}

TEST_F(inputs, standard_input_may_be_a_device_but_no_directory) {
    std::string why;
    {
        const StandardInput input(::open("/dev/null", O_RDONLY));
        EXPECT_FALSE(read_input("-", Limits{}, nullptr, why));
        EXPECT_EQ(why, "standard input: empty");
    }
    const StandardInput input(::open(directory_.c_str(), O_RDONLY));
    EXPECT_FALSE(read_input("-", Limits{}, nullptr, why));
    EXPECT_EQ(why, "standard input: a directory, and no documents in it are read here");
}

TEST_F(inputs, a_stop_signal_ends_the_wait_for_a_slow_pipe) {
    struct sigaction action {};
    struct sigaction old {};
    action.sa_handler = [](int) {};
    ASSERT_EQ(::sigaction(SIGUSR1, &action, &old), 0);  // no SA_RESTART
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const StandardInput input(ends[0]);
    const std::atomic<int> stop{1};
    const pthread_t reader = ::pthread_self();
    std::atomic<bool> done{false};
    // The signal may come before the read: it is sent until the read has ended.
    std::thread sender([&] {
        while (!done) {
            ::pthread_kill(reader, SIGUSR1);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    });
    std::string why;
    EXPECT_FALSE(read_input("-", Limits{}, &stop, why));
    EXPECT_EQ(why, "standard input: interrupted");
    done = true;
    sender.join();
    ::close(ends[1]);
    ::sigaction(SIGUSR1, &old, nullptr);
}

}  // namespace
}  // namespace perfrelay::client
