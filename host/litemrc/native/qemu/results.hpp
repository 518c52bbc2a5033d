// SPDX-License-Identifier: BSD-2-Clause
// The counts of a process as files: PROCESS.json, PROCESS.hits (uint64 by group of the stack), and of a sample PROCESS.without
// (uint64, histogram_without of each group); traces/qemu/counts.py reads them.
#pragma once

#include "address_spaces.hpp"
#include "processor.hpp"

#include <cstdio>
#include <string>

namespace litemrc_qemu {

struct Totals {
    uint64_t instructions = 0, loads = 0, stores = 0, fetches = 0, transfers = 0;
    uint64_t device_accesses = 0, cut = 0;
    uint64_t processors = 0;
    std::vector<std::vector<uint64_t>> caches; // instructions, levels: accesses, misses, write-backs
};

inline void add(std::vector<uint64_t> &counts, const Cache &cache, uint64_t accesses) {
    counts.resize(3);
    counts[0] += accesses;
    counts[1] += cache.misses;
    counts[2] += cache.write_backs;
}

inline void add(Totals &totals, const Processor &processor, size_t levels) {
    totals.caches.resize(1 + levels);
    totals.instructions += processor.instructions();
    totals.loads += processor.loads();
    totals.stores += processor.stores();
    totals.fetches += processor.fetches();
    totals.transfers += processor.transfers();
    totals.device_accesses += processor.device_accesses();
    totals.cut += processor.cut();
    ++totals.processors;
    for (const Cache &cache : processor.instruction_caches())
        add(totals.caches[0], cache, processor.fetched_lines());
    for (size_t i = 0; i < processor.levels().size(); ++i)
        add(totals.caches[1 + i], processor.levels()[i], processor.levels()[i].accesses);
}

inline std::string json_list(const std::vector<uint64_t> &numbers) {
    std::string text = "[";
    for (uint64_t number : numbers)
        text += (text.size() > 1 ? ", " : "") + std::to_string(number);
    return text + "]";
}

// Returns false if a file cannot be written.
inline bool write_file(const std::string &path, const void *data, size_t bytes) {
    const std::string partial = path + ".part";
    FILE *file = fopen(partial.c_str(), "w");
    if (!file)
        return false;
    const bool written = fwrite(data, 1, bytes, file) == bytes;
    return fclose(file) == 0 && written && rename(partial.c_str(), path.c_str()) == 0;
}

// `facts`: further names and numbers.
inline bool write_results(const std::string &path, const Totals &totals, const Memory &memory, uint64_t lost,
                          const AddressSpaces &spaces,
                          const std::vector<std::pair<const char *, double>> &facts) {
    std::string text = "{";
    const auto put = [&](const char *name, const std::string &value) {
        text += (text.size() > 1 ? ", \"" : "\"") + std::string(name) + "\": " + value;
    };
    std::vector<uint64_t> hits;
    uint64_t misses = 0, repeats = 0;
    if (const CurveEngine *engine = memory.engine()) {
        hits = engine->stack_hits();
        misses = engine->misses();
        repeats = engine->repeats();
        put("pages", std::to_string(engine->pages()));
    }
    std::vector<uint64_t> without, sizes;
    for (size_t group = 0; memory.groups() && group < SampleGroups::GROUPS; ++group) {
        const std::vector<uint64_t> counts = memory.groups()->histogram_without(group);
        without.insert(without.end(), counts.begin(), counts.end());
        sizes.push_back(counts.size());
    }
    put("without", json_list(sizes));
    std::string caches = "[";
    for (const std::vector<uint64_t> &counts : totals.caches)
        caches += (caches.size() > 1 ? ", " : "") + json_list(counts);
    put("caches", caches + "]");
    put("roots", json_list(spaces.roots()));
    put("working_sets", json_list(memory.working_sets()));
    for (const auto &[name, value] : {std::pair<const char *, uint64_t>{"instructions", totals.instructions},
                                      {"loads", totals.loads},
                                      {"stores", totals.stores},
                                      {"fetches", totals.fetches},
                                      {"processors", totals.processors},
                                      {"device_accesses", totals.device_accesses},
                                      {"cut", totals.cut},
                                      {"transfers_sent", totals.transfers},
                                      {"transfers_taken", memory.transfers()},
                                      {"misses", misses},
                                      {"repeats", repeats},
                                      {"in_dram", memory.in_dram()},
                                      {"outside", memory.outside()},
                                      {"without_frame", memory.without_frame()},
                                      {"unsampled", memory.unsampled()},
                                      {"streamed", memory.streamed()},
                                      {"recorded", memory.recorded()},
                                      {"stream_lost", lost}})
        put(name, std::to_string(value));
    for (const auto &[name, value] : facts)
        put(name, std::to_string(value));
    text += "}\n";
    return write_file(path + ".hits", hits.data(), hits.size() * sizeof(uint64_t)) &&
           (without.empty() || write_file(path + ".without", without.data(), without.size() * sizeof(uint64_t))) &&
           write_file(path + ".json", text.data(), text.size());
}

} // namespace litemrc_qemu
