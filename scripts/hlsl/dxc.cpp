// Compiles a text by DXC as wgpu-hal's `compile_dxc` does, but with warnings, and prints how long
// the compiler ran on a processor: dxc LIBRARY FILE [ARGUMENTS…].
#include "dxcapi.h"
#include <cstdio>
#include <ctime>
#include <dlfcn.h>
#include <string>
#include <vector>

static double seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    auto create = library ? reinterpret_cast<DxcCreateInstanceProc>(dlsym(library, "DxcCreateInstance")) : nullptr;
    IDxcCompiler3 *compiler = nullptr;
    FILE *file = std::fopen(words[2], "rb");
    if (!create || !file || create(CLSID_DxcCompiler, __uuidof(IDxcCompiler3), reinterpret_cast<void **>(&compiler))) {
        std::printf("cannot load %s or open %s\n", words[1], words[2]);
        return 2;
    }
    std::string text;
    char part[65536];
    while (size_t size = std::fread(part, 1, sizeof part, file)) text.append(part, size);

    std::vector<std::wstring> arguments{L"-E", L"main", L"-T", L"cs_6_6", L"-HV", L"2018", DXC_ARG_ENABLE_STRICTNESS};
    for (int i = 3; i < count; i++) arguments.emplace_back(words[i], words[i] + std::char_traits<char>::length(words[i]));
    std::vector<const wchar_t *> pointers;
    for (const auto &argument : arguments) pointers.push_back(argument.c_str());
    DxcBuffer source{text.data(), text.size(), DXC_CP_UTF8};

    double start = seconds();
    IDxcResult *result = nullptr;
    HRESULT status = compiler->Compile(&source, pointers.data(), UINT32(pointers.size()), nullptr, __uuidof(IDxcResult), reinterpret_cast<void **>(&result));
    if (!FAILED(status)) result->GetStatus(&status);
    double took = seconds() - start;
    IDxcBlob *code = nullptr;
    IDxcBlobUtf8 *messages = nullptr;
    if (result) {
        result->GetOutput(DXC_OUT_OBJECT, __uuidof(IDxcBlob), reinterpret_cast<void **>(&code), nullptr);
        result->GetOutput(DXC_OUT_ERRORS, __uuidof(IDxcBlobUtf8), reinterpret_cast<void **>(&messages), nullptr);
    }
    std::printf("%s %.3f s, %zu bytes\n", FAILED(status) ? "refused" : "ok", took, code ? size_t(code->GetBufferSize()) : size_t(0));
    if (messages && messages->GetStringLength()) std::printf("%s", messages->GetStringPointer());
    return FAILED(status);
}
