# Reads what ctest -V, a GoogleTest program or one of our own checkers printed, and writes one row per test:
# pass|fail|skip TAB name TAB reason. `stage` names the part of the run.
# A test program that dies prints no verdict for its last test, so ctest's own verdict on the program counts then.

function row(kind, name, reason) { printf "%s\t%s: %s\t%s\n", kind, stage, name, reason }

{
    # ctest -V puts the number of the program before each line.
    id = 0; line = $0
    if (match(line, /^ *[0-9]+: /)) { id = substr(line, 1, RLENGTH) + 0; line = substr(line, RLENGTH + 1) }
}

line ~ /^\[ RUN      \] /                  { running[id] = substr(line, 14); reason[id] = ""; wants[id] = 0; next }
line ~ /^\[       OK \] .*\([0-9]+ ms\)$/  { row("pass", running[id], ""); next }
line ~ /^\[  FAILED  \] .*\([0-9]+ ms\)$/  { row("fail", running[id], ""); failures[id]++; next }
line ~ /^\[  SKIPPED \] .*\([0-9]+ ms\)$/  { row("skip", running[id], reason[id]); next }
line ~ /: Skipped$/                        { wants[id] = 1; next }
wants[id]                                  { reason[id] = line; wants[id] = 0; next }

# Our own checkers: PASS name, FAIL name: reason, SKIP name: reason.
line ~ /^(PASS|FAIL|SKIP) / {
    kind = tolower(substr(line, 1, 4)); rest = substr(line, 6); why = ""
    if (at = index(rest, ": ")) { why = substr(rest, at + 2); rest = substr(rest, 1, at - 1) }
    row(kind, rest, why); next
}

line ~ /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
    match(line, /#[0-9]+/); number = substr(line, RSTART + 1, RLENGTH - 1) + 0
    if (line !~ /Passed|Skipped/ && !failures[number]) {
        name = line; sub(/^[^:]*: */, "", name); sub(/ .*/, "", name)
        why = line; sub(/.*\*\*\*/, "", why)
        row("fail", name " (whole program; last test begun: " running[number] ")", why)
    }
}
