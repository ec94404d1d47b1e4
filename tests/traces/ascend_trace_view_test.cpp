#include "trace_files.h"
#include "traces/formats/read_trace.h"

namespace spillway::testing {
namespace {

using Texts = std::vector<std::string>;

// The trace follows the documentation: layers are processes, time stamps are text, and a name comes after the
// events that it names.
const std::string kTrace = R"([
{"ph":"X","name":"MatMulV2","pid":4,"tid":11,"ts":"1699529623106750.061","dur":20.5,"args":{}},
{"ph":"X","name":"EVENT_WAIT","pid":4,"tid":11,"ts":"1699529623106771","dur":3},
{"ph":"X","name":"hcom_allReduce__102_0_1","pid":6,"tid":20,"ts":"1699529623106780","dur":30},
{"ph":"X","name":"Notify_Wait","pid":6,"tid":21,"ts":"1699529623106781","dur":9},
{"ph":"X","name":"ProfilerStep#3","pid":1,"tid":1,"ts":"1699529623106740.061","dur":100},
{"ph":"X","name":"aten::mm","pid":1,"tid":1,"ts":"1699529623106741","dur":1},
{"ph":"X","name":"Computing","pid":7,"tid":0,"ts":"1699529623106750.061","dur":20.5},
{"ph":"s","name":"async_npu","pid":1,"tid":1,"ts":"1699529623106741"},
{"ph":"M","name":"process_name","pid":1,"args":{"name":"Python"}},
{"ph":"M","name":"process_name","pid":4,"args":{"name":"Ascend Hardware"}},
{"ph":"M","name":"thread_name","pid":4,"tid":11,"args":{"name":"Stream 2"}},
{"ph":"M","name":"process_name","pid":6,"args":{"name":"Communication"}},
{"ph":"M","name":"process_name","pid":7,"args":{"name":"Overlap Analysis"}}])";

TEST(AscendTraceView, TasksAndCommunicationOperatorsAreKept) {
  const Trace trace = read_trace(measured_file("trace_view.json", kTrace));
  EXPECT_EQ(trace.format, "ascend-trace-view");
  EXPECT_EQ(texts(trace.events),
            (Texts{"annotation r0 s0 m- 0+100", "kernel r0 s0 m- 10+21", "collective r0 s0 m- 40+30"}));
  EXPECT_EQ(trace.events[1].stream, 2);
  const Texts notes = texts(trace.notes);
  EXPECT_EQ(notes[0], "guessed: read by the documentation of the format; not tested on real output");
  EXPECT_EQ(Texts(notes.begin() + 2, notes.end()),
            (Texts{"dropped: 1 event of the layer Overlap Analysis (the first is event 7)",
                   "dropped: 1 event of the layer Python (the first is event 6)",
                   "dropped: 1 event other than complete ones (ph is not X) (the first is event 8)",
                   "dropped: 1 piece of communication operators (the first is event 4)",
                   "dropped: 1 record and waits of streams (the first is event 2)"}));
}

}  // namespace
}  // namespace spillway::testing
