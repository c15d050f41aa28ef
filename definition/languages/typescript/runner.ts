/**
 * What runs a bundle, in a process of its own: reads it from standard input, and writes what came of it as JSON. It is a
 * text, as that process may read no file. The program runs in a context that shares no object with Node, so that nothing
 * leads from it to `process`; nothing in there can wait, so that the limit of processor time ends all that does not end.
 */
export const RUNNER = `
const vm = require('node:vm');
const fs = require('node:fs');
const code = fs.readFileSync(0, 'utf8');
const given = process.env.GIVEN;
const context = vm.createContext(vm.constants?.DONT_CONTEXTIFY ?? Object.create(null));
const inside = (text, filename) => new vm.Script(text, { filename }).runInContext(context);
inside('delete globalThis.Atomics; delete globalThis.SharedArrayBuffer; delete globalThis.WebAssembly;', 'provisioning');
inside(
  '{ const write = JSON.stringify; const given = ' + given + ';' +
  'globalThis.__answer = () => {' +
  '  let value = __definition.default;' +
  '  if (typeof value === "function") value = value(given);' +
  '  if (value === undefined || value === null) return write({ none: "it has no default export" });' +
  '  if (typeof value.then === "function") return write({ none: "its default export is a promise: a definition waits for nothing" });' +
  '  return write({ value });' +
  '}; }', 'provisioning');
let answer;
try {
  inside(code, 'definition.js');
  answer = inside('__answer()', 'provisioning');
} catch (error) {
  const text = (key) => { try { return String(error[key]); } catch { return ''; } };
  const thrown = typeof error === 'object' && error !== null;
  answer = JSON.stringify({ name: thrown ? text('name') : '', message: thrown ? text('message') : String(error), stack: thrown ? text('stack') : '' });
}
fs.writeSync(1, typeof answer === 'string' ? answer : '');
process.exit(0);
`;
