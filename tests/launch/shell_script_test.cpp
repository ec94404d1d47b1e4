// What a shell makes of a script, without a shell: each expectation is what bash prints.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "launch/shell/script.h"

namespace spillway {
namespace {

ScriptReading reading_of(const std::string& text, const ScriptSettings& settings = {}) {
  Findings findings("script.sh");
  ScriptReading script = read_script(text, settings, findings);
  for (const Violation& violation : findings.listed()) ADD_FAILURE() << to_string(violation);
  return script;
}

// The words of the only command, with unknown parts as "$NAME".
std::string command_words(const ScriptReading& script) {
  if (script.commands.size() != 1) return std::to_string(script.commands.size()) + " commands";
  std::vector<std::string> texts;
  for (const ScriptWord& word : script.commands.front().words)
    texts.push_back(shown(word.text, script.unknowns));
  return joined(texts, "|");
}
std::string words_of_script(const std::string& text, const ScriptSettings& settings = {}) {
  return command_words(reading_of(text, settings));
}

std::vector<Violation> errors_of(const std::string& text) {
  Findings findings("script.sh");
  read_script(text, {}, findings);
  return findings.listed();
}

TEST(ShellScript, QuotesSplitNothingAndVariablesDo) {
  EXPECT_EQ(words_of_script("A='x  y'\np --a $A"), "p|--a|x|y");
  EXPECT_EQ(words_of_script("A='x  y'\np --a \"$A\""), "p|--a|x  y");
  EXPECT_EQ(words_of_script("A=1\np --a=$A\"$A 2\"'$A'"), "p|--a=11 2$A");
  EXPECT_EQ(words_of_script("p --a \\\n  b \\\n  c"), "p|--a|b|c");
  EXPECT_EQ(words_of_script("p --a x\\ y '' # --c"), "p|--a|x y|");
}

TEST(ShellScript, ArraysKeepTheirElements) {
  EXPECT_EQ(words_of_script("A=(--x 1 # no\n \"a b\")\nA+=(--y)\np \"${A[@]}\""), "p|--x|1|a b|--y");
  EXPECT_EQ(words_of_script("A=(--x \"a b\")\np ${A[@]}"), "p|--x|a|b");
  EXPECT_EQ(words_of_script("A=(--x 1)\nB=(\"${A[@]}\" --y)\np ${B[@]} --n ${#B[@]}"), "p|--x|1|--y|--n|3");
  EXPECT_EQ(words_of_script("A=\"--x 1 \\\n --y\"\nA+=\" --z\"\np $A"), "p|--x|1|--y|--z");
}

TEST(ShellScript, Defaults) {
  EXPECT_EQ(words_of_script("p --a ${X:-4} ${X-5} ${Y:=6} $Y ${Y:+7}"), "p|--a|4|5|6|6|7");
  EXPECT_EQ(words_of_script("p --a ${X:-\"b c\"} ${X:-d e}"), "p|--a|b c|d|e");
  EXPECT_EQ(words_of_script("p --a ${X:-${Z:-3}}"), "p|--a|3");
  EXPECT_EQ(words_of_script("p --a ${1:-m}", {{"1", "n"}}), "p|--a|n");
}

TEST(ShellScript, TextOperators) {
  EXPECT_EQ(words_of_script("A=a/b.c.d\np --x ${A##*/} ${A%.*} ${A%%.*} ${A#*/} ${A/b/e} ${#A}"),
            "p|--x|b.c.d|a/b.c|a/b|b.c.d|a/e.c.d|7");
  EXPECT_EQ(words_of_script("A=Abc\np --x ${A^^} ${A,,} ${A:1:1}"), "p|--x|ABC|abc|b");
}

TEST(ShellScript, Arithmetic) {
  EXPECT_EQ(words_of_script("G=8\nN=4\np --w $((G*$N)) $(( ${G} * (N + 1) / 3 ))"), "p|--w|32|13");
  EXPECT_EQ(words_of_script("p --w $((N*8))"), "p|--w|$N");
  EXPECT_EQ(words_of_script("N=3\np --w $(expr 16 / $N) \"$(expr 2 \\* 3 + 1)\""), "p|--w|5|7");
  EXPECT_EQ(words_of_script("p --w $(expr $N + 1)"), "p|--w|$N");
}

TEST(ShellScript, ConditionsThatAreKnown) {
  const std::string choose =
      "if [[ $T == fp8* ]]; then A=(--f8); elif [ \"$T\" = bf16 ]; then A=(--bf); else A=(--no); fi\np "
      "${A[@]}";
  EXPECT_EQ(words_of_script("T=fp8-x\n" + choose), "p|--f8");
  EXPECT_EQ(words_of_script("T=bf16\n" + choose), "p|--bf");
  EXPECT_EQ(words_of_script(choose), "p|--no");
  EXPECT_EQ(words_of_script("N=3\n[ $N -gt 2 ] && A=--big || A=--small\np $A"), "p|--big");
  EXPECT_EQ(words_of_script("N=3\nif (( N > 2 )) && [[ -z $M ]]; then A=--y; fi\np $A"), "p|--y");
  EXPECT_EQ(words_of_script("case $M in a|b) A=--ab;; \"\") A=--none;; *) A=--all;; esac\np $A"), "p|--none");
  EXPECT_EQ(words_of_script("M=b\ncase $M in a|b) A=--ab;; *) A=--all;; esac\np $A"), "p|--ab");
}

TEST(ShellScript, WhatDependsOnAFileIsAnUnknownPart) {
  const ScriptReading script =
      reading_of("A=(--x)\nT=1\nif [ -f data ]; then\n  A+=(--y)\n  T=2\nfi\np ${A[@]} --t $T");
  EXPECT_EQ(command_words(script), "p|--x|?|--t|$T");
  const UnknownPart& part = script.unknowns.at(unknowns_in(script.commands[0].words[2].text).at(0));
  EXPECT_EQ(part.why, "line 4: \"--y\" only under the condition of line 3");
}

TEST(ShellScript, OutputOfProgramsIsAskedForByTheNameOfItsVariable) {
  const ScriptReading script = reading_of("N=$(wc -l < hosts)\nW=$((N*8))\np --w $W --n $N");
  EXPECT_EQ(command_words(script), "p|--w|$N|--n|$N");
  EXPECT_EQ(script.unknowns.at(0).why, "line 1: $(wc -l < hosts) is not run");
  EXPECT_EQ(words_of_script("N=$(wc -l < hosts)\np --w $((N*8))", {{"N", "4"}}), "p|--w|32");
}

TEST(ShellScript, SettingsOverrideAssignments) {
  EXPECT_EQ(words_of_script("N=1\np --n $N", {{"N", "4"}}), "p|--n|4");
  EXPECT_EQ(words_of_script("N=1 p --n 2", {{"N", "4"}}), "p|--n|2");
}

TEST(ShellScript, UnsetVariablesAreTakenAsEmptyAndSaid) {
  const ScriptReading script = reading_of("p --a $EXTRA");
  EXPECT_EQ(command_words(script), "p|--a");
  ASSERT_EQ(script.notes.size(), 1u);
  EXPECT_EQ(script.notes[0].text, "$EXTRA is not set by the script, and taken as empty");
  EXPECT_EQ(words_of_script("p --a \"$EXTRA\""), "p|--a|$EXTRA");
}

TEST(ShellScript, FunctionsLoopsAndTextsForShells) {
  EXPECT_EQ(words_of_script("f() { p --a $1 \"$@\"; return; p --b; }\nf x y"), "p|--a|x|x|y");
  EXPECT_EQ(words_of_script("A=\nfor i in 1 2; do A=\"$A --x $i\"; done\np $A"), "p|--x|1|--x|2");
  EXPECT_EQ(words_of_script("N=3\nsrun -n 2 bash -c \"p --a $N\""), "p|--a|3");
  EXPECT_EQ(words_of_script("C=\"p --a 'b c'\"\neval $C"), "p|--a|b c");
  EXPECT_EQ(words_of_script("sbatch <<EOF\n#!/bin/sh\np --a ${N:-2} \\\n --b\nEOF\n"), "p|--a|2|--b");
  EXPECT_EQ(words_of_script("while [ $# -gt 0 ]; do p --no; shift; done\np --a"), "p|--a");
}

TEST(ShellScript, ExitEndsItAndRefusalsDoNot) {
  EXPECT_EQ(words_of_script("if [ -z $W ]; then exit 1; fi\np --a"), "p|--a");
  EXPECT_EQ(words_of_script("p --a\nexit 0\np --b"), "p|--a");
}

TEST(ShellScript, LinesAndEnvironment) {
  const ScriptReading script =
      reading_of("#SBATCH --nodes=4\nA=\"--x 1 \\\n  --y 2\"\nB=(\n --z\n)\nNNODES=2 p \\\n  $A ${B[@]} --w");
  ASSERT_EQ(script.commands.size(), 1u);
  std::vector<std::size_t> lines;
  for (const ScriptWord& word : script.commands[0].words) lines.push_back(word.line);
  EXPECT_EQ(lines, (std::vector<std::size_t>{7, 2, 2, 3, 3, 5, 8}));
  EXPECT_EQ(script.commands[0].environment.at("NNODES").text, "2");
  ASSERT_EQ(script.sbatch.size(), 1u);
  EXPECT_EQ(script.sbatch[0].text, "--nodes=4");
}

TEST(ShellScript, SettingsNameVariablesOfTheScript) {
  Findings findings("script.sh");
  read_script("p --a $N", {{"NODES", "4"}, {"N-1", "2"}, {"N", "3"}}, findings);
  ASSERT_EQ(findings.all().size(), 3u);  // NODES is in no place, N-1 in none either and no name
  EXPECT_EQ(findings.all()[0].expected, "a variable that the script uses");
}

TEST(ShellScript, EveryErrorIsFound) {
  const std::vector<Violation> open = errors_of("A=\"x\np --a");
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(
      to_string(open[0]),
      "script.sh: line 1: expected a quote or bracket that closes this word, found the end of the file");
  const std::vector<Violation> two = errors_of("if true; then\np --a\ncat <<EOF\nx");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(errors_of("p --a)\n").size(), 1u);
  EXPECT_EQ(errors_of(std::string("p \x01") + "5").size(), 1u);
}

TEST(ShellScript, HugeScriptsAreRefused) {
  std::string doubling = "A=0123456789\n";
  for (int i = 0; i < 40; ++i) doubling += "A=$A$A\n";
  EXPECT_FALSE(errors_of(doubling + "p --a $A").empty());
  EXPECT_FALSE(
      errors_of("f() { f; f; }\nf\n" + std::string(60000, '\n') + "for i in 1 2 3; do f; done").empty());
  EXPECT_FALSE(errors_of(std::string(5000, '(')).empty());
}

}  // namespace
}  // namespace spillway
