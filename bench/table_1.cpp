// Prints the paper's Table 1 beside what the shipped architectures give; see table_1.h. Run from the
// repository: bench/paper_tables.sh.
#include "table_1.h"

#include <cstdio>

#include "input/architecture/architecture_reader.h"

int main() {
  using namespace spillway;
  const std::string models = "workloads/models/";
  const auto cells =
      paper_table_1(read_architecture(models + "deepseek-v3/config.json", Role::Backbone, {}),
                    read_architecture(models + "qwen2-vl-vit-to-deepseek-v3/config.json", Role::Encoder, {}));
  std::puts("| Table 1 | paper | here | deviation | reading |\n|---|---|---|---|---|");
  for (const Table1Cell& cell : cells)
    std::printf("| %s | %.3g %s | %.3g %s | %+.1f %% | %s |\n", cell.name.c_str(), cell.published,
                cell.unit.c_str(), cell.here, cell.unit.c_str(), 100 * cell.deviation(),
                cell.reading.c_str());
}
