"""Programs that the tests of the command use."""

from __future__ import annotations

CLEAN = """\
pool slots { cap 2; admit via engine; }
stage engine : step { budget 4; chunk 4; cost 1; }
workload { arrive batch(2); init { set prompt = serial + 3; } }
session { hold slots (1) { prefill prompt; decode (1); } observe done = now; end; }
run { horizon 10; warmup 0; seed 1; }
"""
"""A classic program: two sessions, three iterations."""

TRACE = "ITER 0.0000 0:0:p3 1:0:p1\nITER 1.0000 0:0:d1 1:0:p3\nITER 2.0000 1:0:d1\n"

MISTAKE = CLEAN.replace("hold slots", "hold slotz")
"""The same with a pool that does not exist, in line 4, columns 16 to 20."""

RANDOM = """\
let rate = 2;
let half = rate / 2;
def gap(x) = ~exp(x);
stage desk : fifo;
workload { arrive poisson(rate); }
session { run desk (gap(half)); end; }
run { horizon 20; }
"""
"""A classic program with constants, a definition and open arrivals."""

ENDLESS = """\
stage s : delay;
workload { arrive batch(1); }
session { loop { run s (1 - 1); } }
run { horizon 10; }
"""
"""Time stands still in it for ever."""

ENGINE = """\
use "std/args";
fn main() {
  let rate = args.number("rate", 2);
  device gpu { compute (t) = t * 0.01; kv cap 1000; }
  pool kv on gpu { block 16; evict lru; preempt lifo; }
  engine e on gpu {
    reqs cap 4;
    tokens cap 64;
    request (prompt, output) {
      at admission { known = max(prompt, computed + 1); }
      prefill (known) growing kv;
      decode (output - 1) growing kv;
    }
    schedule {
      advance running;
      admit waiting taking reqs (1), kv (min(known, budget_left(e))) reserve (known);
    }
    execute (compute(batch.tokens));
  }
  pool reqs on e { queue fifo; }
  workload {
    arrive poisson(rate);
    session { turn; }
    turn { set n = 20; }
  }
  server { e (n, 3); }
}
"""
"""A program of the engine edition with an input."""

UNCOVERED = """\
def rows(n) = n <= 1 ? 1 : n <= 2 ? 2 : 4;
pool reqs { cap 8; admit via gpu; }
stage gpu : step { budget 64; cost 0.01 * rows(decoders); }
workload { arrive batch(9); init { set reply = 3; } }
session { hold reqs (1) { prefill 4; decode 4; } }
run { horizon 20; }
"""
"""It runs, though no bucket covers eight requests."""
