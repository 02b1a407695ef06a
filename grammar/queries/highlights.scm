; serQ: what each token is. Words are keywords only where the grammar has them as such, so no list of names is needed.

(comment) @comment
(string) @string
(number) @number

[
  "use" "let" "def" "fn" "pool" "stage" "device" "engine" "queue" "share" "gauge" "claim" "workload" "session" "server"
  "run" "request" "schedule" "scheduler" "worker" "connector" "nic" "trace" "hidden" "init" "turn" "arrive" "send"
] @keyword

[
  "cap" "block" "evict" "preempt" "reserve" "admit" "spill" "cost" "budget" "chunk" "granule" "memory" "state" "serve"
  "iteration" "tokens" "execute" "forward" "per_token" "advance" "waiting" "running" "taking" "each" "most" "exclusive"
  "only" "latency" "horizon" "warmup" "seed" "arrivals" "reply" "given" "every" "some" "of"
] @keyword

[
  "set" "observe" "end" "join" "mark" "hold" "grow" "shrink" "load" "save" "drop" "release" "fork" "choose" "prefill"
  "decode" "tool" "transfer" "reuse" "prefix" "cache" "lease" "growing" "with" "at" "admission" "pull" "push"
] @keyword

["branch" "if" "else"] @keyword.conditional
["while" "loop"] @keyword.repeat
["from" "to" "via" "on" "in" "by" "when"] @keyword.operator
["Size" "Cost"] @type.builtin

[
  "fifo" "ps" "step" "lru" "none" "lifo" "head" "tail" "held" "first" "leases" "requeue" "suspend" "ordered"
  "maxmin" "bottleneck" "poisson" "renewal" "closed" "batch" "main"
] @constant.builtin

(binary operator: _ @operator)
(unary operator: _ @operator)
(conditional ["?" ":"] @operator)
["=" "~"] @operator
(delay) @constant.builtin
(order_admission) @keyword
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
[";" "," "." ":"] @punctuation.delimiter

(aggregate operator: _ @function.builtin)
(aggregate index: (name) @variable.parameter)
(draw distribution: (name) @function.builtin)
(call function: (name) @function.call)
(call function: (member member: (name) @function.method.call))
(module_call module: (name) @module function: (name) @function.method.call)

(let name: (name) @constant)
(def name: (name) @function)
(parameters parameter: (name) @variable.parameter)
(pool name: (name) @type.definition)
(stage name: (name) @type.definition)
(device name: (name) @type.definition)
(engine name: (name) @type.definition)
(queue name: (name) @type.definition)
(entry name: (name) @function.method)
(roles role: (name) @attribute)
(time_resource name: (name) @function)
(capacity name: (name) @property)
(gauge name: (name) @variable.member)
(claim name: (name) @variable.member)
(observe name: (name) @variable.member)
(set name: (name) @variable)
(binding name: (name) @variable)
(named_argument name: (name) @variable.parameter)
(record_field name: (name) @property)
(reference name: (name) @type)
(member member: (name) @property)
