/* The table of this copy's functions. */
#include "copies.h"
#include "error.h"

#define OWN_STATUS(name, parameters, arguments) .name = offloadrt_own_##name,
#define OWN_VALUE(result, name, parameters, arguments) .name = offloadrt_own_##name,

static int own_fail(int status, const char *text) { return offloadrt_fail(status, "%s", text); }

/* Tests make a copy whose table ends earlier. */
#ifndef OFFLOADRT_TABLE_BYTES
#define OFFLOADRT_TABLE_BYTES sizeof(struct offloadrt_table)
#endif

const struct offloadrt_table offloadrt_own_table = {
    .size = OFFLOADRT_TABLE_BYTES,
    .minor = OFFLOADRT_MINOR,
    .fail = own_fail,
    .error_text = offloadrt_own_error_text,
    .each_kernel = offloadrt_own_each_kernel,
    .register_object = offloadrt_own_register,
    .unregister_object = offloadrt_own_unregister,
    OFFLOADRT_FUNCTIONS(OWN_STATUS, OWN_VALUE)};
