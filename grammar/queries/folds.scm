; serQ: what can be folded.
[
  (main) (pool) (step) (iteration_block) (device) (engine) (connector) (schedule_block) (queue) (workload) (run_block)
  (block) (request_admission) (record) (comment)
] @fold
