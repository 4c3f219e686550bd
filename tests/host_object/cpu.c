/* Cpu code as the cpu target makes it: two entries with the same body, which linkers may fold. */
#include <stdio.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define CPU(kernel) __asm__("__offload_cpu." TEXT(HASH) "." TEXT(kernel)) __attribute__((visibility("hidden")))

void left(const void *block, const unsigned char *arguments) CPU(LEFT);
void right(const void *block, const unsigned char *arguments) CPU(RIGHT);

void left(const void *block, const unsigned char *arguments) { printf("%s: cpu code%s\n", (const char *)arguments, block ? "?" : ""); }
void right(const void *block, const unsigned char *arguments) { printf("%s: cpu code%s\n", (const char *)arguments, block ? "?" : ""); }
