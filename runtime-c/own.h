/* The names of the runtime's own functions. A program may contain several copies of the runtime, and one of them serves
 * the process (copies.c). So each public function of offloadrt.h is two: `offloadrt_launch`, which goes to the copy that
 * serves, and `offloadrt_own_launch`, which does the work in this copy. Files of the runtime define and call the second
 * one, under the name of the first. A file that includes offloadrt.h before sees the public functions, as forward.c and
 * tests do. */
#ifndef OFFLOADRT_OWN_H
#define OFFLOADRT_OWN_H

#ifndef OFFLOADRT_H
#define OFFLOADRT_OWN
#define offloadrt_device_open offloadrt_own_device_open
#define offloadrt_device_close offloadrt_own_device_close
#define offloadrt_device_name offloadrt_own_device_name
#define offloadrt_device_arch offloadrt_own_device_arch
#define offloadrt_device_product offloadrt_own_device_product
#define offloadrt_device_limits offloadrt_own_device_limits
#define offloadrt_allocate offloadrt_own_allocate
#define offloadrt_free offloadrt_own_free
#define offloadrt_allocate_host offloadrt_own_allocate_host
#define offloadrt_free_host offloadrt_own_free_host
#define offloadrt_allocate_unified offloadrt_own_allocate_unified
#define offloadrt_free_unified offloadrt_own_free_unified
#define offloadrt_copy_to_device offloadrt_own_copy_to_device
#define offloadrt_copy_to_host offloadrt_own_copy_to_host
#define offloadrt_submit_copy_to_device offloadrt_own_submit_copy_to_device
#define offloadrt_submit_copy_to_host offloadrt_own_submit_copy_to_host
#define offloadrt_submit_copy offloadrt_own_submit_copy
#define offloadrt_submit_fill offloadrt_own_submit_fill
#define offloadrt_map offloadrt_own_map
#define offloadrt_unmap offloadrt_own_unmap
#define offloadrt_update_to offloadrt_own_update_to
#define offloadrt_update_from offloadrt_own_update_from
#define offloadrt_stream_create offloadrt_own_stream_create
#define offloadrt_stream_destroy offloadrt_own_stream_destroy
#define offloadrt_stream_adopt offloadrt_own_stream_adopt
#define offloadrt_stream_handle offloadrt_own_stream_handle
#define offloadrt_device_context offloadrt_own_device_context
#define offloadrt_event_create offloadrt_own_event_create
#define offloadrt_event_destroy offloadrt_own_event_destroy
#define offloadrt_event_record offloadrt_own_event_record
#define offloadrt_stream_wait offloadrt_own_stream_wait
#define offloadrt_event_synchronize offloadrt_own_event_synchronize
#define offloadrt_event_query offloadrt_own_event_query
#define offloadrt_event_elapsed offloadrt_own_event_elapsed
#define offloadrt_launch offloadrt_own_launch
#define offloadrt_launch_mapped offloadrt_own_launch_mapped
#define offloadrt_synchronize offloadrt_own_synchronize
#define offloadrt_find_kernel offloadrt_own_find_kernel
#define offloadrt_error_text offloadrt_own_error_text
#define offloadrt_each_kernel offloadrt_own_each_kernel
#define offloadrt_register offloadrt_own_register
#define offloadrt_unregister offloadrt_own_unregister
#define offloadrt_set_late_constant offloadrt_own_set_late_constant
#define offloadrt_device_adopt offloadrt_own_device_adopt

#include "offloadrt.h"
#endif

#endif
