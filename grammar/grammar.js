/// <reference types="tree-sitter-cli/dsl" />
// serQ: one superset grammar for the classic, engine and current editions.
// What it takes too much of (a clause of another edition, `kv[0]` as a value) the checker refuses; see README.md.
// Words and forms are those of serq_lsp/lang/constructs.toml; a test compares the two.

const list = ($, rule) => seq(rule, repeat(seq($._comma, rule)));
const parens = ($, rule) => seq($._open, rule, $._close);
const braces = ($, rule) => seq($._begin, repeat(rule), $._finish);
const value = ($) => field('value', $._expression);
const named = ($) => field('name', $._name);
const serving = ($, word) => seq(word, optional($._place), field('work', $._expression),
  optional(field('growing', $.growing)), $._semicolon);
const header = ($) => seq(optional(field('prefix', $.prefix)), optional(field('reuse', $.reuse)),
  optional(field('bindings', $.at_admission)), field('body', $.block));

// tree-sitter puts a MISSING token in only where a rule ends with it. Each sign and word below is therefore a hidden
// rule of its own, and named as a supertype, which keeps the generator from melting it into the rules that use it.
// The order counts: the first that fits is put in.
const SIGNS = {
  _semicolon: ';', _close: ')', _finish: '}', _begin: '{', _open: '(', _colon: ':', _is: '=', _close_size: ']',
  _comma: ',',
};
const WORDS = [
  'on', 'step', 'admission', 'prefill', 'via', 'when', 'by', 'in', 'first', 'held', 'most', 'main', 'running',
  'waiting', 'iteration', 'of', 'cap', 'session', 'request', 'schedule', 'init',
];
// Words that begin a statement and may as well be the first name of a braced definition (classic.md 1.6): `{ load + 1 }`.
const STATEMENTS = [
  'set', 'observe', 'Size', 'Cost', 'turn', 'end', 'join', 'mark', 'hold', 'grow', 'shrink', 'load', 'drop', 'release',
  'run', 'branch', 'if', 'while', 'loop', 'fork', 'choose', 'prefill', 'decode', 'tool', 'transfer', 'at', 'cache',
  'request',
];
const hidden = (word) => `_${word}_word`;
const insertable = [...Object.entries(SIGNS), ...WORDS.map((word) => [hidden(word), word])];

// The rules of an expression, by precedence. They exist twice: `_closing_expression` is one that `}` may follow. If one
// set of rules served both, tree-sitter would take `}` for possible after every operand, and an unfinished statement at
// the end of a block would take the rest of the file with it.
const one = (words) => (words.length === 1 ? words[0] : choice(...words));
const expressions = (prefix, atom) => {
  const rule = ($, name) => $[prefix + name];
  const level = (kind, below, left, operators, right) => ({
    [prefix + kind]: ($) => choice(alias(rule($, `${kind}_of_two`), $.binary), rule($, below)),
    [`${prefix}${kind}_of_two`]: ($) => seq(field('left', rule($, left)), field('operator', one(operators)),
      field('right', rule($, right))),
  });
  return {
    [`${prefix}expression`]: ($) => choice(alias(rule($, 'choice'), $.conditional), rule($, 'or')),
    [`${prefix}choice`]: ($) => seq(field('test', rule($, 'or')), '?', field('then', $._expression), $._colon,
      field('else', rule($, 'expression'))),
    ...level('or', 'and', 'or', ['||'], 'and'),
    ...level('and', 'comparison', 'and', ['&&'], 'comparison'),
    ...level('comparison', 'sum', 'sum', ['<', '<=', '>', '>=', '==', '!='], 'sum'),
    ...level('sum', 'product', 'sum', ['+', '-'], 'product'),
    ...level('product', 'prefix', 'product', ['*', '/'], 'prefix'),
    [`${prefix}prefix`]: ($) => choice(alias(rule($, 'sign'), $.unary), $.draw, rule($, 'power')),
    [`${prefix}sign`]: ($) => seq(field('operator', choice('-', '!')), field('operand', rule($, 'prefix'))),
    ...level('power', 'atom', 'atom', ['^'], 'prefix'),
    [`${prefix}atom`]: atom,
  };
};

module.exports = grammar({
  name: 'serq',
  word: ($) => $.name,
  extras: ($) => [/\p{White_Space}/, $.comment],
  supertypes: ($) => [
    ...insertable.map(([rule]) => $[rule]), $._name,
    $._item, $._pool_option, $._step_option, $._iteration_statement, $._engine_item, $._schedule_statement,
    $._queue_part, $._workload_clause, $._statement, $._expression,
  ],
  conflicts: (_) => [],

  rules: {
    source_file: ($) => repeat($._item),
    ...Object.fromEntries(insertable.map(([rule, word]) => [rule, (_) => word])),
    _name: ($) => $.name,

    // -- text ---------------------------------------------------------------------------------
    comment: (_) => token(choice(/\/\/[^\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),
    name: (_) => /[\p{Alphabetic}_][\p{Alphabetic}\p{N}_]*/,
    number: (_) => /([0-9]|\.[0-9])[0-9._]*([eE][+-]?[0-9]+)?/,
    string: (_) => /"[^"]*"/,

    // -- items --------------------------------------------------------------------------------
    _item: ($) => choice(
      $.use, $.let, $.def, $.main, $.pool, $.stage, $.device, $.engine, $.queue, $.relation, $.module_call, $.share,
      $.gauge, $.claim, $.workload, $.session, $.server, $.run_block, alias($._stage_without_word, $.stage),
      alias($._engine_without_word, $.engine), alias($._unknown_block, $.session), alias($._unknown_stage, $.stage),
      alias($._unknown_main, $.main),
    ),
    main: ($) => seq('fn', $._main_word, $._open, $._close, braces($, $._item)),
    use: ($) => seq('use', field('path', $.string), $._semicolon),
    let: ($) => seq('let', named($), $._is, value($), $._semicolon),
    def: ($) => seq('def', named($), $._open, optional($.parameters), $._close, choice(
      seq($._is, field('value', $._expression), $._semicolon),
      seq($._begin, field('value', $._closing_expression), $._finish),
      field('body', $.block),
    )),
    parameters: ($) => seq(list($, field('parameter', $._name)), optional($._comma)),
    size: ($) => seq('[', value($), $._close_size),

    // -- pools --------------------------------------------------------------------------------
    pool: ($) => seq('pool', named($), optional(field('size', $.size)), optional(field('on', $.pool_owner)),
      braces($, $._pool_option)),
    pool_owner: ($) => seq('on', field('owner', $._name), optional(seq('.', field('device', $._name)))),
    _pool_option: ($) => choice($.cap, $.block_size, $.evict, $.preempt, $.queue_order, $.reserve_held, $.admit_via,
      $.spill),
    cap: ($) => seq('cap', value($), $._semicolon),
    block_size: ($) => seq('block', value($), $._semicolon),
    evict: ($) => seq('evict', choice('lru', seq($._by_word, field('keys', $.keys))), $._semicolon),
    preempt: ($) => seq('preempt', choice(
      'none',
      'lifo',
      seq($._by_word, field('keys', $.keys), optional(seq('requeue', choice('head', 'tail')))),
      seq('leases', $._by_word, field('keys', $.keys), optional(seq(field('every', $.every),
        optional(seq('suspend', $._by_word, field('suspend', $.keys)))))),
    ), $._semicolon),
    every: ($) => seq('every', parens($, value($))),
    queue_order: ($) => seq('queue', choice('fifo', seq($._by_word, field('keys', $.keys))),
      optional(field('every', $.every)), $._semicolon),
    reserve_held: ($) => seq('reserve', $._held_word, $._semicolon),
    admit_via: ($) => seq('admit', $._via_word, field('stage', $._name), $._semicolon),
    spill: ($) => seq('spill', field('to', $.reference), $._via_word, field('stage', $.reference),
      $._open, field('work', $._expression), $._close, $._when_word, $._open, field('test', $._expression), $._close,
      $._semicolon),
    keys: ($) => parens($, list($, field('key', $._expression))),

    // -- stages -------------------------------------------------------------------------------
    stage: ($) => seq('stage', named($), optional(field('size', $.size)), $._colon, $._kind_end),
    _kind_end: ($) => choice(
      seq(field('kind', $._plain_kind), optional(field('latency', $.latency)), $._semicolon),
      prec.right(seq(field('kind', $.step), optional($._semicolon))),
    ),
    _plain_kind: ($) => choice($.fifo, $.ps, $.delay),
    fifo: ($) => seq('fifo', optional(parens($, field('servers', $._expression)))),
    ps: ($) => seq('ps', parens($, field('throughput', $._expression))),
    delay: (_) => 'delay',
    latency: ($) => seq('latency', value($)),
    step: ($) => seq($._step_word, braces($, $._step_option)),
    _step_option: ($) => choice($.cost, $.budget, $.chunk, $.granule, $.memory, $.serve_order, $.state, $.iteration,
      $.unknown_clause),
    cost: ($) => seq('cost', value($), $._semicolon),
    budget: ($) => seq('budget', value($), $._semicolon),
    chunk: ($) => seq('chunk', value($), $._semicolon),
    granule: ($) => seq('granule', value($), $._semicolon),
    memory: ($) => seq('memory', field('pool', $._name), $._semicolon),
    state: ($) => seq('state', named($), $._is, value($), $._semicolon),
    serve_order: ($) => seq('serve', choice(
      field('order', $._order),
      $.exclusive_prefill,
      seq(field('only', $.only), optional(field('order', $._order))),
    ), $._semicolon),
    exclusive_prefill: ($) => seq('exclusive', $._prefill_word),
    _order: ($) => choice($.order_admission, $.order_decode_first, $.order_by),
    order_admission: (_) => 'admission',
    order_decode_first: ($) => seq('decode', $._first_word),
    order_by: ($) => seq($._by_word, field('keys', $.keys)),
    only: ($) => seq('only', parens($, field('test', $._expression))),
    iteration: ($) => seq('iteration', field('body', $.iteration_block)),
    iteration_block: ($) => braces($, $._iteration_statement),
    _iteration_statement: ($) => choice($.serve, $.admit, $.iteration_branch, $.set),
    serve: ($) => seq('serve', optional(field('only', $.only)), optional(field('order', $._order)), $._semicolon),
    admit: ($) => seq('admit', optional(field('only', $.only)), optional(field('gate', $.gate)), $._semicolon),
    gate: ($) => seq('while', parens($, field('test', $._expression))),
    iteration_branch: ($) => seq('branch', parens($, field('test', $._expression)), field('then', $.iteration_block),
      optional(seq('else', field('else', $.iteration_block)))),

    // -- devices and engines --------------------------------------------------------------------
    device: ($) => seq('device', named($), optional(field('size', $.size)),
      braces($, choice($.time_resource, $.capacity))),
    time_resource: ($) => seq(named($), $._open, optional($.parameters), $._close, $._is, value($), $._semicolon),
    capacity: ($) => seq(named($), optional(field('size', $.size)), 'cap', value($), $._semicolon),
    engine: ($) => seq('engine', optional(seq(named($), optional(field('size', $.size)))), $._on_word,
      field('device', $._name), braces($, $._engine_item)),
    _engine_item: ($) => choice($.tokens_cap, $.capacity, $.granule, $.state, $.engine_request, $.schedule, $.execute,
      $.worker, $.connector, alias($._unknown_request, $.engine_request)),
    tokens_cap: ($) => seq('tokens', $._cap_word, value($), $._semicolon),
    engine_request: ($) => seq($._request_word, $._open, optional($.parameters), $._close, field('body', $.block)),
    schedule: ($) => seq(choice($._schedule_word, 'scheduler'), field('body', $.schedule_block)),
    execute: ($) => seq('execute', parens($, value($)), $._semicolon),
    worker: ($) => seq('worker', $._begin, field('forward', $.forward), $._finish),
    forward: ($) => seq('forward', parens($, value($)), $._semicolon),
    connector: ($) => seq('connector', named($), braces($, $.connector_clause)),
    connector_clause: ($) => seq(field('clause', choice('per_token', 'load', 'save')), parens($, value($)),
      $._semicolon),
    schedule_block: ($) => braces($, $._schedule_statement),
    _schedule_statement: ($) => choice($.let, $.advance_running, $.admit_waiting, $.exclusive, $.schedule_branch, $.set,
      $.unknown_clause),
    advance_running: ($) => seq('advance', $._running_word, optional(field('only', $.only)),
      optional(field('order', $._order)), optional(field('each', $.each_at_most)), $._semicolon),
    admit_waiting: ($) => seq('admit', $._waiting_word, optional(field('only', $.only)), optional(field('gate', $.gate)),
      optional(field('each', $.each_at_most)), optional(field('taking', $.taking)), $._semicolon),
    exclusive: ($) => seq($.exclusive_prefill, optional(field('each', $.each_at_most)), $._semicolon),
    schedule_branch: ($) => seq(choice('branch', 'if'), parens($, field('test', $._expression)),
      field('then', $.schedule_block),
      optional(seq('else', field('else', choice($.schedule_block, $.schedule_branch))))),
    each_at_most: ($) => seq('each', 'at', $._most_word, parens($, value($))),
    taking: ($) => seq('taking', list($, field('unit', $.unit)), optional(field('reuse', $.reuse)),
      optional(field('prefix', $.prefix)), optional(field('cache', $.cache))),

    // -- queues and relations -------------------------------------------------------------------
    queue: ($) => seq('queue', named($), optional(field('size', $.size)), optional($.roles), braces($, $._queue_part)),
    roles: ($) => seq($._colon, list($, field('role', $._name))),
    _queue_part: ($) => choice($.pool, $.device, $.engine, $.queue_stage, $.nic, $.entry),
    queue_stage: ($) => prec.right(seq('serve', choice(
      seq(field('kind', $._plain_kind), optional(field('latency', $.latency)), $._semicolon),
      seq(field('kind', $._plain_kind), $._semicolon, field('latency', $.latency), $._semicolon),
      seq(field('kind', $.step), optional($._semicolon), optional(seq(field('latency', $.latency), $._semicolon))),
    ))),
    nic: ($) => seq('nic', $._kind_end),
    entry: ($) => seq(named($), optional(seq($._open, optional($.parameters), $._close)),
      optional(seq('from', field('source', $._name))), field('body', $.block)),
    relation: ($) => seq(field('left', $._name), field('verb', choice('pull', 'push')), field('right', $._name),
      optional(field('latency', $.latency)), optional(field('share', $.share_policy)), $._semicolon),
    module_call: ($) => seq(field('module', $._name), '.', field('function', $._name), $._open, list($, $._argument),
      $._close, $._semicolon),
    share: ($) => seq($.share_policy, $._semicolon),
    share_policy: ($) => seq('share', field('policy', choice('maxmin', 'bottleneck'))),

    // -- statistics -----------------------------------------------------------------------------
    gauge: ($) => seq('gauge', named($), $._is, value($), $._semicolon),
    claim: ($) => seq('claim', named($), optional(field('given', $.given)), $._colon,
      choice(seq(field('form', choice('every', 'some')), $._iteration_word, $._of_word, field('stage', $.reference)),
        seq(field('form', 'at'), 'end')),
      parens($, value($)), $._semicolon),
    given: ($) => seq('given', parens($, field('test', $._expression))),

    // -- workload, server, run ------------------------------------------------------------------
    workload: ($) => seq('workload', braces($, $._workload_clause)),
    _workload_clause: ($) => choice($.arrive, $.trace, $.hidden, $.init, $.turn_block, $.session, $.send,
      $.unknown_clause, alias($._unknown_block, $.init)),
    arrive: ($) => seq('arrive', choice(
      field('law', 'none'),
      seq(field('law', choice('poisson', 'renewal', 'closed', 'batch')), parens($, value($))),
    ), $._semicolon),
    trace: ($) => seq('trace', field('path', $.string), optional('ordered'), $._semicolon),
    hidden: ($) => seq('hidden', list($, named($)), $._semicolon),
    init: ($) => seq($._init_word, field('body', $.block)),
    turn_block: ($) => seq('turn', field('body', $.block)),
    session: ($) => seq($._session_word, field('body', $.block)),
    send: ($) => seq('send', $._open, list($, $.send_binding), optional($._comma), $._close, $._semicolon),
    send_binding: ($) => seq(named($), optional(seq($._colon, value($)))),
    server: ($) => seq('server', optional($.server_parameters), optional($.reply), field('body', $.block)),
    server_parameters: ($) => seq($._open, list($, $.server_parameter), optional($._comma), $._close),
    server_parameter: ($) => seq(optional('hidden'), named($)),
    reply: ($) => seq('reply', $._open, list($, named($)), $._close),
    run_block: ($) => seq('run', braces($, choice($.setting, $.unknown_clause))),
    setting: ($) => seq(field('setting', choice('horizon', 'warmup', 'seed', 'arrivals')), value($), $._semicolon),

    // -- statements -------------------------------------------------------------------------------
    block: ($) => braces($, $._statement),
    _statement: ($) => choice(
      $.set, $.observe, $.declare, $.turn, $.end, $.join, $.request, $.mark, $.hold, $.grow, $.shrink, $.load, $.drop,
      $.release, $.run, $.branch, $.if, $.while, $.loop, $.fork, $.choose, $.prefill, $.decode, $.tool, $.transfer,
      $.call_statement, $.request_admission, $.request_cache, alias($._hold_without_word, $.hold),
      alias($._unknown_block, $.loop),
    ),
    set: ($) => seq('set', named($), $._is, value($), $._semicolon),
    observe: ($) => seq('observe', named($), $._is, value($), $._semicolon),
    declare: ($) => seq(field('type', choice('Size', 'Cost')), named($), $._is,
      choice(value($), field('record', $.record)), $._semicolon),
    record: ($) => seq($._begin, list($, $.record_field), optional($._comma), $._finish),
    record_field: ($) => seq(named($), $._colon, field('value', $._closing_expression)),
    turn: ($) => seq('turn', $._semicolon),
    end: ($) => seq('end', $._semicolon),
    join: ($) => seq('join', $._semicolon),
    request: ($) => seq('request', optional(field('gateway', $._name)), $._semicolon),
    mark: ($) => seq('mark', named($), $._semicolon),
    hold: ($) => prec.right(seq('hold', list($, field('unit', $.unit)), header($), optional(field('cache', $.cache)),
      optional(field('lease', $.lease)), optional($._semicolon))),
    unit: ($) => seq(field('pool', $.reference), $._open, field('units', $._expression), $._close,
      optional(field('reserve', $.reserve))),
    reserve: ($) => seq('reserve', parens($, value($))),
    reuse: ($) => seq('reuse', parens($, value($))),
    prefix: ($) => seq('prefix', parens($, list($, $.segment))),
    segment: ($) => seq(field('key', $._expression), $._colon, field('length', $._expression)),
    at_admission: ($) => seq('at', $._admission_word, parens($, list($, $.binding))),
    binding: ($) => seq(named($), $._is, value($)),
    cache: ($) => seq('cache', parens($, value($))),
    lease: ($) => seq('lease', field('pool', $.reference), $._open, field('time', $._expression), $._close),
    grow: ($) => seq('grow', field('pool', $.reference), parens($, value($)), $._semicolon),
    shrink: ($) => seq('shrink', field('pool', $.reference), parens($, value($)), $._semicolon),
    load: ($) => seq('load', field('pool', $.reference), parens($, value($)), $._semicolon),
    drop: ($) => seq('drop', field('pool', $.reference), $._semicolon),
    release: ($) => seq('release', field('pool', $.reference), $._semicolon),
    run: ($) => seq('run',
      optional(seq(list($, field('stage', $.reference)), optional(field('mode', choice('prefill', 'decode'))))),
      $._open, field('work', $._expression), repeat(seq($._comma, $.named_argument)), $._close,
      optional(field('growing', $.growing)), $._semicolon),
    growing: ($) => seq('growing', field('pool', $.reference)),
    branch: ($) => seq('branch', optional(field('draw', 'with')), parens($, field('test', $._expression)),
      field('then', $.block), optional(seq('else', field('else', $.block)))),
    if: ($) => seq('if', parens($, field('test', $._expression)), field('then', $.block),
      optional(seq('else', field('else', choice($.block, $.if))))),
    while: ($) => seq('while', parens($, field('test', $._expression)), field('body', $.block)),
    loop: ($) => seq('loop', field('body', $.block)),
    fork: ($) => seq('fork', field('body', $.block)),
    choose: ($) => seq('choose', named($), $._in_word, field('count', $._expression), $._by_word, field('keys', $.keys),
      $._semicolon),
    prefill: ($) => serving($, 'prefill'),
    decode: ($) => serving($, 'decode'),
    tool: ($) => serving($, 'tool'),
    transfer: ($) => seq('transfer', optional($._place),
      choice(field('work', $._expression),
        seq($._open, field('work', $._expression), repeat1(seq($._comma, $.named_argument)), $._close)),
      optional(field('growing', $.growing)), optional(field('from', $.from)), optional(field('to', $.to)), $._semicolon),
    _place: ($) => choice(seq('on', list($, field('stage', $.reference))), field('member', $.size)),
    from: ($) => seq('from', field('pool', $.reference)),
    to: ($) => seq('to', field('pool', $.reference), parens($, field('amount', $._expression))),
    call_statement: ($) => seq(field('call', $.call), optional(field('from', $.from)),
      optional(field('to', $.to)), $._semicolon),
    request_admission: ($) => seq('at', $._admission_word, braces($, seq($.binding, $._semicolon))),
    request_cache: ($) => seq($.cache, $._semicolon),
    reference: ($) => seq(named($), optional(seq('[', field('index', $._expression), $._close_size)),
      optional(seq('.', field('member', $._name)))),

    // -- expressions ------------------------------------------------------------------------------
    ...expressions('_', ($) => choice($.number, $.string, $.parenthesized, $.aggregate, $._place_name, $.call)),
    ...expressions('_closing_', ($) => choice($.number, $.string, $.parenthesized, $.aggregate, $.name,
      alias(choice('max', 'min', 'sum'), $.name), alias(prec(-1, choice(...STATEMENTS)), $.name), $.member,
      $.subscript, $.call)),
    draw: ($) => seq('~', field('distribution', $._name), '(', optional($.arguments), $._close),
    parenthesized: ($) => parens($, value($)),
    aggregate: ($) => seq(field('operator', choice('max', 'min', 'sum')), field('index', $._name), 'in',
      field('count', choice($.number, $.name, $.parenthesized)), parens($, field('body', $._expression))),
    _place_name: ($) => choice($._value_name, $.member, $.subscript),
    _value_name: ($) => choice($.name, alias(choice('max', 'min', 'sum'), $.name)),
    member: ($) => seq(field('object', choice($._value_name, $.member, $.subscript)), '.', field('member', $._name)),
    subscript: ($) => seq(field('object', $._value_name), '[', field('index', $._expression), $._close_size),
    call: ($) => seq(field('function', choice($._value_name, $.member)), '(', optional($.arguments), $._close),
    arguments: ($) => list($, $._expression),
    _argument: ($) => choice($._expression, $.named_argument),
    named_argument: ($) => seq(named($), $._is, value($)),

    // -- no serQ ------------------------------------------------------------------------------------
    // What is taken only so that a misspelt or missing word does not spoil the block after it. serq_lsp/syntax/tree.py
    // turns `unknown_clause` and the field `unknown` into ERROR nodes, and puts the missing word in where it lacks.
    unknown_clause: ($) => seq($.name, optional($._expression), $._semicolon),
    _unknown_block: ($) => seq(field('unknown', $.name), field('body', $.block)),
    _unknown_stage: ($) => seq(field('unknown', $.name), named($), optional(field('size', $.size)), $._colon, $._kind_end),
    _unknown_main: ($) => seq(field('unknown', $.name), optional($._main_word), $._open, $._close, braces($, $._item)),
    _unknown_request: ($) => seq(field('unknown', $.name), optional(seq($._open, optional($.parameters), $._close)),
      field('body', $.block)),
    _stage_without_word: ($) => seq(choice(named($), field('name', alias('engine', $.name))),
      optional(field('size', $.size)), $._colon, $._kind_end),
    _engine_without_word: ($) => seq(named($), optional(field('size', $.size)), $._on_word, field('device', $._name),
      braces($, $._engine_item)),
    _hold_without_word: ($) => seq($.call, repeat(seq($._comma, field('unit', $.unit))), header($)),
  },
});
