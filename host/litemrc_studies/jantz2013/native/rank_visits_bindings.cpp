#include "bindings/bindings.hpp"
#include "rank_visits.hpp"

namespace litemrc_native {

namespace {

using ClockArray = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using LineArray = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void visit_all(RankVisits &ranks, const ClockArray &gap, const ClockArray &busy, const LineArray &rank,
               const LineArray &reads, const LineArray &writes) {
    const size_t visits = gap.size();
    if (busy.size() != visits || rank.size() != visits || reads.size() != visits || writes.size() != visits)
        throw nb::value_error("arrays of different lengths");
    for (size_t i = 0; i < visits; i++)
        if (rank.data()[i] >= ranks.ranks() || reads.data()[i] + writes.data()[i] == 0)
            throw nb::value_error("a rank that is not there, or a visit without lines");
    nb::gil_scoped_release released;
    for (size_t i = 0; i < visits; i++)
        ranks.visit(gap.data()[i], busy.data()[i], rank.data()[i], reads.data()[i], writes.data()[i]);
}

Array<uint64_t> counter_rows(const RankVisits &ranks) {
    static_assert(sizeof(RankCounts) % sizeof(uint64_t) == 0);
    const auto *first = reinterpret_cast<const uint64_t *>(ranks.counts().data());
    return to_array(std::vector<uint64_t>(first, first + ranks.counts().size() * sizeof(RankCounts) / 8));
}

} // namespace

void bind_rank_visits(nb::module_ &module) {
    nb::class_<RankVisits>(module, "RankVisits")
        .def(
            "__init__",
            [](RankVisits *self, uint32_t ranks, uint64_t power_down_after, uint64_t self_refresh_after,
               uint64_t power_down_exit, uint64_t self_refresh_exit, uint64_t sample, bool interleaved,
               uint64_t background_gap, uint64_t background_busy, uint64_t background_seed) {
                new (self) RankVisits(
                    ranks, {power_down_after, self_refresh_after, power_down_exit, self_refresh_exit, sample},
                    interleaved, {background_gap, background_busy, background_seed});
            },
            nb::arg("ranks"), nb::arg("power_down_after"), nb::arg("self_refresh_after"),
            nb::arg("power_down_exit"), nb::arg("self_refresh_exit"), nb::arg("sample"), nb::arg("interleaved"),
            nb::arg("background_gap"), nb::arg("background_busy"), nb::arg("background_seed"))
        .def("visit_all", &visit_all, nb::arg("gap").noconvert(), nb::arg("busy").noconvert(),
             nb::arg("rank").noconvert(), nb::arg("reads").noconvert(), nb::arg("writes").noconvert())
        .def("pause", &RankVisits::pause, nb::arg("clocks"))
        .def("finish", &RankVisits::finish)
        .def("idle", &RankVisits::idle, nb::arg("rank"))
        .def("counters", &counter_rows)
        .def_prop_ro("now", &RankVisits::now);
}

} // namespace litemrc_native
