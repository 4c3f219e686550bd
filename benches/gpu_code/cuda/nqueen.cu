// Queens on a board: each thread counts the solutions that begin with its rows. A row is a set of columns as bits.
#include "device.h"

#define MOST 16

KERNEL void nqueen(unsigned size, unsigned left_rows, size_t count, const unsigned *__restrict__ columns,
                   const unsigned *__restrict__ ups, const unsigned *__restrict__ downs, unsigned *__restrict__ out) {
  size_t i = index_x();
  if (i >= count)
    return;
  unsigned all = (1u << size) - 1;
  unsigned column[MOST] = {}, up[MOST] = {}, down[MOST] = {}, free[MOST] = {};
  column[0] = columns[i];
  up[0] = ups[i];
  down[0] = downs[i];
  free[0] = all & ~(column[0] | up[0] | down[0]);
  int row = 0;
  unsigned solutions = 0;
  while (row >= 0) {
    unsigned places = free[row];
    if (places == 0) {
      row -= 1;
      continue;
    }
    unsigned place = places & (0u - places);
    free[row] = places ^ place;
    if (row + 1 == (int)left_rows) {
      solutions += 1;
      continue;
    }
    column[row + 1] = column[row] | place;
    up[row + 1] = (up[row] | place) << 1;
    down[row + 1] = (down[row] | place) >> 1;
    row += 1;
    free[row] = all & ~(column[row] | up[row] | down[row]);
  }
  out[i] = solutions;
}
