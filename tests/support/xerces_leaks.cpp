// What Xerces-C++ itself leaks under LeakSanitizer: Debian's 3.2.4 keeps each DTD scanner for good,
// against a use after free (CVE-2018-1311). Link it where XSDs are read.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libxerces-c";
}
