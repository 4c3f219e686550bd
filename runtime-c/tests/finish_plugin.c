/* A shared object whose destructor calls a function of the program. */
__attribute__((visibility("default"))) void (*at_close)(void);

__attribute__((destructor)) static void leave(void) {
  if (at_close)
    at_close();
}
