// Loaded before anything else by each process of a traced run: writes down each source module when it first runs there.
import { appendFileSync, existsSync } from 'node:fs';
import { basename } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const seen = new Set();
const program = basename(process.argv[1] ?? 'node').replace(/\.\w+$/, '');

let on = false;
let asked = 0;

/** Whether the traced command has begun; looked for twenty times a second. */
function isOn() {
  const now = performance.now();
  if (on || now - asked < 50) return on;
  asked = now;
  on = existsSync(`${process.env.TRACE_FILE}.on`);
  return on;
}

function ran(path, where) {
  if (!isOn()) return;
  const key = `${where} ${path}`;
  if (seen.has(key)) return;
  seen.add(key);
  appendFileSync(process.env.TRACE_FILE, `${process.hrtime.bigint()} ${where} ${path}\n`);
}

globalThis.__ran = (path) => ran(path, isMainThread ? program : 'worker');
const log = console.log.bind(console);
// A workflow's sandbox has nothing but a console, which ends here.
console.log = (...args) => {
  const text = args.find((arg) => typeof arg === 'string' && arg.startsWith('__ran '));
  if (text === undefined) log(...args);
  else ran(text.slice('__ran '.length), 'workflow');
};
