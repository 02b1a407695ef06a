; serQ: where names are introduced and used.
[(source_file) (main) (def) (block) (schedule_block) (entry) (engine_request) (server) (hold)] @local.scope

(let name: (name) @local.definition.constant)
(def name: (name) @local.definition.function)
(parameters parameter: (name) @local.definition.parameter)
(server_parameter name: (name) @local.definition.parameter)
(aggregate index: (name) @local.definition.var)
(set name: (name) @local.definition.var)
(binding name: (name) @local.definition.var)
(pool name: (name) @local.definition.type)
(stage name: (name) @local.definition.type)
(device name: (name) @local.definition.type)
(engine name: (name) @local.definition.type)
(queue name: (name) @local.definition.namespace)

(name) @local.reference
