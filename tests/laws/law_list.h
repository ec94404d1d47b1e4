// The laws, by the file that holds them. Private to tests/laws.
#pragma once

#include "laws.h"

namespace spillway::testing {

// engine_laws.cpp: relations between engines and between figures.
Verdict engines_agree(const Case& one);
Verdict simgrid_is_never_earlier(const Case& one);
Verdict nothing_shared_is_replayed_alike(const Case& one);
Verdict rows_sum_to_the_makespan(const Case& one);
Verdict no_rank_idles_less_than_not_at_all(const Case& one);
Verdict no_step_beats_its_bound(const Case& one);
Verdict operators_are_all_that_ranks_compute(const Case& one);

// same_job_laws.cpp: the same job, computed in another way.
Verdict a_point_is_a_run(const Case& one);
Verdict printed_and_read_again(const Case& one);
Verdict threads_change_nothing(const Case& one);
Verdict a_draw_knows_no_other(const Case& one);
Verdict a_step_waits_for_its_plan(const Case& one);

// company_laws.cpp: other schedules of the document, and earlier runs.
Verdict schedules_know_no_company(const Case& one);
Verdict a_sweeps_point_stands_alone(const Case& one);
Verdict a_second_run_is_the_first(const Case& one);

// order_laws.cpp: the same job, written in another way.
Verdict time_has_no_unit(const Case& one);
Verdict a_block_is_its_halves(const Case& one);
Verdict names_say_nothing(const Case& one);
Verdict replicas_have_no_order(const Case& one);

// slower_laws.cpp: the same job on slower hardware.
Verdict slower_is_never_faster(const Case& one);

// sample_laws.cpp
Verdict samples_stay_in_their_groups(const Case& one);

// workload_laws.cpp
Verdict images_are_encoded_or_counted(const Case& one);
Verdict documents_are_sequences(const Case& one);

}  // namespace spillway::testing
