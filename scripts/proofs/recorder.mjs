// Loaded before anything else by each process of a recording run (record.ts): notes which source modules of the copy run
// in it, and which files of the copy it opens or starts. `RECORDED_INPUTS` is the file that takes the notes of a test.
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.env.RECORDED_ROOT ?? '';
const { appendFileSync } = fs;
const seen = new Set();

function note(kind, path) {
  const file = process.env.RECORDED_INPUTS;
  const line = `${kind} ${path}\n`;
  if (!file || seen.has(`${file} ${line}`)) return;
  seen.add(`${file} ${line}`);
  try {
    // At once: a worker that is killed has told what it did until then.
    appendFileSync(file, line);
  } catch {
    // A process of another user may write nothing there.
  }
}

/** What a test run writes into its own copy is no input. */
const OWN = /^(dist|node_modules|\.git|\.\.)(\/|$)/;

function opened(path) {
  const text = path instanceof URL ? fileURLToPath(path) : path;
  if (typeof text !== 'string') return;
  const inside = relative(root, resolve(text));
  if (inside && !OWN.test(inside)) note('open', inside);
}

const watched = (object, name) => {
  const original = object[name];
  object[name] = function (path, ...rest) {
    opened(path);
    return original.call(this, path, ...rest);
  };
};
if (root) {
  for (const name of [
    'openSync',
    'open',
    'readFileSync',
    'readFile',
    'createReadStream',
    'copyFile',
    'copyFileSync',
    'cpSync',
    'cp',
  ])
    watched(fs, name);
  for (const name of ['open', 'readFile', 'copyFile', 'cp']) watched(fs.promises, name);
  // A program is often named from the folder that it is started in. What is no file of the repository is left out later.
  const started = (words, cwd) => {
    const folder = cwd instanceof URL ? fileURLToPath(cwd) : cwd || '.';
    for (const word of words.map(String)) if (!word.includes('\n')) opened(resolve(folder, word));
  };
  const { spawn } = childProcess.ChildProcess.prototype;
  childProcess.ChildProcess.prototype.spawn = function (options) {
    started([options.file, ...(options.args ?? [])], options.cwd);
    return spawn.call(this, options);
  };
  for (const name of ['spawnSync', 'execFileSync']) {
    const original = childProcess[name];
    childProcess[name] = function (file, args, options) {
      const words = Array.isArray(args) ? args : [];
      started([file, ...words], (Array.isArray(args) ? options : args)?.cwd);
      return original.call(this, file, args, options);
    };
  }
  syncBuiltinESMExports();

  globalThis.__note = note;
  const log = console.log.bind(console);
  // The sandbox of a workflow has nothing but a console, which ends here.
  console.log = (...args) => {
    const [, kind, path] = /^__(ran|load) (.*)/.exec(args.find((arg) => /^__(ran|load) /.test(String(arg))) ?? '') ?? [];
    if (path === undefined) log(...args);
    else note(kind, path);
  };
}
