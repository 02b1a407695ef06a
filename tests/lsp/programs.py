"""Programs that several tests use."""

from __future__ import annotations

SEPARATE = """\
// Whole-batch prefill isolation: B arrives while A is decoding.
pool reqs { cap 2; admit via engine; }
pool kv { cap 20; }
stage gate : delay;
stage engine : step {
  budget 4;
  chunk 4;
  cost 1;
  memory kv;
  serve exclusive prefill;
}
workload {
  arrive batch(2);
  init { set prompt = serial == 0 ? 2 : 4; }
}
session {
  run gate (serial);
  set t0 = now;
  hold reqs (1), kv (min(prompt, left)) reserve (prompt)
       at admission (left = budget_left(engine)) {
    prefill prompt growing kv;
    observe ttft = now - t0;
    branch (serial == 0) { decode (2) growing kv; }
  }
  observe response = now - t0;
  end;
}
run { horizon 20; warmup 0; seed 1; }
"""
"""A seed: four iterations, two of them prefills."""
MISTAKE = SEPARATE.replace("hold reqs (1)", "hold reqz (1)")
"""The same with a pool that does not exist, on line 18 (from 0)."""
LIBRARY = "def double(x) = 2 * x;\n"
USER = SEPARATE.replace("pool reqs {", 'use "lib.sq";\npool reqs {').replace("cap 20;", "cap double(10);")
"""A program that uses `lib.sq` beside it, which holds LIBRARY."""
SLOW = """\
stage gate : delay;
workload { arrive batch(1); init { set x = 1; } }
session { loop { set x = sum k in 400 (k - x); run gate (1); } }
run { horizon 1000000000; warmup 0; seed 1; }
"""
"""A program that goes on until a limit stops it."""
EDITOR = """\
import subprocess, sys, time
sys.path.insert(0, {root!r})
from tests.lsp.wire import Client
client = Client()
print(client.process.pid, flush=True)
if {initialized}:
    client.initialize()
if {running}:
    client.open("file:///slow.sq", {slow!r})
    client.ask("workspace/executeCommand", {{"command": "serq.run", "arguments": ["file:///slow.sq"]}})
    time.sleep(0.7)
print("ready", flush=True)
time.sleep(60)
"""
"""An editor, as a Python program: it prints the server's process id, then `ready`, and waits to be killed."""
