/** `npm run proofs`: lists the proofs of slow tests with their age, plays test files, and records their inputs. */
import { resolve } from 'node:path';
import { optionsOf } from './options.js';
import { keepProofs, play } from './play.js';
import { readInputs, writeInputs } from './proofs.js';
import { record } from './record.js';
import { isRecordable } from './sentinels.js';
import { readState, type State } from './state.js';

const USAGE = `npm run proofs [-- OPTIONS] [FILE…]

Without files, lists all proofs with their age. With files, plays these and writes down what they prove.

  --stale    all files whose proof is stale
  --all      all files
  --record   play them in a copy that records what they use, and keep that too (test/proofs/inputs.json)
`;

const root = resolve(import.meta.dirname, '../..');
const { values, positionals } = optionsOf(USAGE, {
  allowPositionals: true,
  options: {
    stale: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

async function main(): Promise<number> {
  const state = await readState(root);
  const { candidates } = state;
  const unknown = positionals.filter((file) => !candidates.some((one) => one.file === file));
  if (unknown.length > 0) {
    process.stderr.write(`cannot play ${unknown.map((one) => `"${one}"`).join(', ')}: no such test file\n`);
    return 2;
  }
  const wanted = candidates.filter(
    (one) => values.all || positionals.includes(one.file) || (values.stale && one.stale !== undefined),
  );
  if (wanted.length === 0) {
    list(candidates);
    return 0;
  }
  const files = wanted.map(({ file }) => file);
  await state.hold();
  const recorded = values.record ? files.filter(isRecordable) : [];
  const failed = recorded.length > 0 && !(await playRecording(recorded, state));
  const others = files.filter((file) => !recorded.includes(file));
  const { exitCode, ended } = others.length > 0 ? await play(others, {}, root) : { exitCode: 0, ended: [] };
  console.log(`proofs: ${await keepProofs(root, ended, state)} of ${others.length} test files proven: commit test/proofs`);
  return failed ? 1 : exitCode;
}

/**
 * Plays files and records their inputs.
 *
 * @returns whether all passed
 */
async function playRecording(files: readonly string[], state: State): Promise<boolean> {
  const { exitCode, ended, recorded } = await record(root, files);
  const inputs = readInputs(root);
  for (const { file, proven } of ended) {
    const notes = recorded.get(file);
    if (!proven || !notes) continue;
    inputs.used[file] = { ran: notes.ran, opened: notes.opened };
    inputs.loaded.push(...notes.loaded);
  }
  writeInputs(root, inputs);
  console.log(`proofs: ${await keepProofs(root, ended, state, inputs)} of ${files.length} test files proven and recorded`);
  return exitCode === 0;
}

function list(candidates: State['candidates']): void {
  const now = Date.now();
  const age = (on?: string) => (on === undefined ? 'never' : `${((now - Date.parse(`${on}Z`)) / 86_400_000).toFixed(1)} days`);
  for (const { file, on, seconds, stale } of [...candidates].sort((a, b) => ((a.on ?? '') < (b.on ?? '') ? -1 : 1)))
    console.log(
      `${age(on).padStart(10)}  ${String(seconds).padStart(4)} s  ${file}${stale === undefined ? '' : `  stale: ${stale}`}`,
    );
}

if (values.help) process.stdout.write(USAGE);
else process.exitCode = await main();
