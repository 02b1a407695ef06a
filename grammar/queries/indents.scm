; serQ: lines are indented inside braces and brackets.
[
  (main) (pool) (step) (iteration_block) (device) (engine) (worker) (connector) (schedule_block) (queue) (workload)
  (run_block) (block) (request_admission) (record)
] @indent.begin

(arguments) @indent.align
"{" @indent.branch
["}" ")" "]"] @indent.end
["}" ")" "]"] @indent.branch
(comment) @indent.ignore
(ERROR) @indent.auto
