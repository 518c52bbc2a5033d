// SPDX-License-Identifier: BSD-2-Clause
// The stack engine of a bench: group_stack, or bucket_stack with -DLITEMRC_ENGINE_BUCKET.
#pragma once

#ifdef LITEMRC_ENGINE_BUCKET
#include "bucket_stack/bucket_reference.hpp"
#include "bucket_stack/bucket_stack.hpp"
using Engine = litemrc::BucketStack;
using EngineReference = litemrc::BucketReference;
inline unsigned renumberings_of(const Engine &engine) { return engine.renumberings(); }
#else
#include "group_stack/group_stack.hpp"
#include "group_stack/lru_reference.hpp"
using Engine = litemrc::GroupStack;
using EngineReference = litemrc::LruReference;
inline unsigned renumberings_of(const Engine &) { return 0; }
#endif
