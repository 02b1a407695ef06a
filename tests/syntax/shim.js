// A small stand-in for tree-sitter's grammar functions: evaluates the grammar.js named on the command line and prints
// the grammar as JSON, so that a test can compare it with the committed src/grammar.json without the tool.
'use strict';

const rule = (value) => {
  if (value instanceof RegExp) return { type: 'PATTERN', value: value.source, ...(value.flags ? { flags: value.flags } : {}) };
  if (typeof value === 'string') return { type: 'STRING', value };
  if (value === undefined) throw new Error('a rule is undefined');
  return value;
};
const members = (type) => (...rules) => ({ type, members: rules.map(rule) });
const content = (type) => (value) => ({ type, content: rule(value) });
const ranked = (type) => (value, of) =>
  of === undefined ? { type, value: 0, content: rule(value) } : { type, value, content: rule(of) };
const blank = () => ({ type: 'BLANK' });

const dsl = {
  seq: members('SEQ'),
  choice: members('CHOICE'),
  repeat: content('REPEAT'),
  repeat1: content('REPEAT1'),
  optional: (value) => dsl.choice(value, blank()),
  blank,
  token: content('TOKEN'),
  prec: ranked('PREC'),
  field: (name, value) => ({ type: 'FIELD', name, content: rule(value) }),
  alias: (value, as) => {
    const named = typeof as !== 'string';
    return { type: 'ALIAS', content: rule(value), named, value: named ? as.name : as };
  },
};
dsl.token.immediate = content('IMMEDIATE_TOKEN');
for (const side of ['left', 'right', 'dynamic']) dsl.prec[side] = ranked(`PREC_${side.toUpperCase()}`);

dsl.grammar = (parts) => {
  const $ = new Proxy({}, { get: (_, name) => ({ type: 'SYMBOL', name }) });
  const made = (part) => (part === undefined ? [] : part($).map(rule));
  return {
    name: parts.name,
    word: parts.word($).name,
    rules: Object.fromEntries(Object.entries(parts.rules).map(([name, of]) => [name, rule(of($))])),
    extras: made(parts.extras),
    conflicts: made(parts.conflicts),
    supertypes: made(parts.supertypes).map((symbol) => symbol.name),
  };
};

Object.assign(globalThis, dsl);
process.stdout.write(JSON.stringify(require(require('node:path').resolve(process.argv[2]))));
