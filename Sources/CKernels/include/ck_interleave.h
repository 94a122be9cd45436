// Weight rows in groups of sixteen, their blocks side by side.
//
// A kernel that works on one row a vector lane reads an interleaved group as one stream and needs
// no sums across lanes. Only the order of the bytes changes, never one of them, and a group takes
// the space of its rows: block b of the group holds, member by member of the block type, the first
// unit (two or four bytes) of rows 0 ... 15, then their second one, and so on.
#pragma once

#include "ck_types.h"

enum { CK_GROUP_ROWS = 16 };

// Whether rows of `type` can be interleaved.
bool ck_can_interleave(ck_type type);

// Interleaves CK_GROUP_ROWS rows of row_bytes each, one after the other, into `group`, which must
// not overlap them.
void ck_interleave(ck_type type, const void *rows, size_t row_bytes, void *group);

// Block `block` of row `row` of a group as it was in its row.
void ck_interleaved_block(ck_type type, const void *group, size_t row, size_t block, void *out);

// Row `row` of a group as it was, row_bytes.
void ck_interleaved_row(ck_type type, const void *group, size_t row_bytes, size_t row, void *out);
