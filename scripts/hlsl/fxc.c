// Compiles a text by Direct3D's old compiler as wgpu-hal's `compile_fxc` does, and prints how long
// the compiler ran on a processor: fxc.exe D3DCOMPILER.DLL FILE [FLAGS].
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include <d3dcompiler.h>

static double seconds(void) {
    FILETIME created, ended, kernel, user;
    GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user);
    ULARGE_INTEGER a = {.LowPart = kernel.dwLowDateTime, .HighPart = kernel.dwHighDateTime};
    ULARGE_INTEGER b = {.LowPart = user.dwLowDateTime, .HighPart = user.dwHighDateTime};
    return (double)(a.QuadPart + b.QuadPart) * 1e-7;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    HMODULE library = LoadLibraryA(words[1]);
    pD3DCompile compile = library ? (pD3DCompile)(void *)GetProcAddress(library, "D3DCompile") : NULL;
    FILE *file = fopen(words[2], "rb");
    static char text[8 << 20];
    if (!compile || !file) {
        printf("cannot load %s or open %s\n", words[1], words[2]);
        return 2;
    }
    size_t size = fread(text, 1, sizeof text, file);
    UINT flags = count > 3 ? (UINT)strtoul(words[3], NULL, 0) : D3DCOMPILE_ENABLE_STRICTNESS;
    ID3DBlob *code = NULL, *messages = NULL;
    double start = seconds();
    HRESULT result = compile(text, size, "text", NULL, NULL, "main", "cs_5_1", flags, 0, &code, &messages);
    printf("%s %.3f s, %lu bytes\n", FAILED(result) ? "refused" : "ok", seconds() - start,
           code ? (unsigned long)code->lpVtbl->GetBufferSize(code) : 0);
    if (messages) printf("%s", (char *)messages->lpVtbl->GetBufferPointer(messages));
    return FAILED(result);
}
