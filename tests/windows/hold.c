/* Holds a file open as other programs on Windows do, until its input ends: `hold FILE` shares it with no program, `hold FILE read`
   lets others read it. */
#include <stdio.h>
#include <windows.h>

int wmain(int count, wchar_t **arguments) {
    HANDLE file = CreateFileW(arguments[1], GENERIC_READ, count > 2 ? FILE_SHARE_READ : 0, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) {
        fprintf(stderr, "error %lu\n", GetLastError());
        return 1;
    }
    puts("held");
    fflush(stdout);
    while (getchar() != EOF) {
    }
    return 0;
}
