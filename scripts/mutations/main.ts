/**
 * `npm run mutations`: changes one place of the product at a time and plays the unit tests that reach it. A change
 * that no test notices is a gap in the unit tests or makes no difference.
 *
 * A changed program may remove or end anything. It therefore runs with read-only file systems except its own copy,
 * without sockets and network, and sees only its own processes.
 */
import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { optionsOf } from '../proofs/options.js';
import { isProduct, removeCopy, rewrittenCopy } from '../trace/copy.js';
import { type Baseline, playBaseline } from './baseline.js';
import { closeCopy } from './closed-copy.js';
import { drawMutants } from './draw.js';
import { type Judgement, judge } from './judge.js';
import { describeMutant, type Mutant, withMutant } from './mutants.js';
import { nearestFirst } from './nearest.js';
import { reportResult, type Tried } from './result.js';

const USAGE = `npm run mutations [-- OPTIONS]

Changes one place of the product at a time, and plays the unit tests that reach it. Needs root.

  --count N        number of changes (default: 100)
  --seed N         draws other changes (default: 1)
  --baseline FILE  what the unit tests do without a change: read if the file is there, else written (default: none)
  --out FILE       appends one JSON text for each change as it ends, and does not play again what is there (default: none)
  --list           print the changes, and play nothing
`;

const root = resolve(import.meta.dirname, '../..');

const { values } = optionsOf(USAGE, {
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    baseline: { type: 'string' },
    out: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

async function main(): Promise<number> {
  const [count, seed] = [Number(values.count), Number(values.seed)];
  if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
    process.stderr.write(`cannot read --count "${values.count}" or --seed "${values.seed}": they are whole numbers\n\n${USAGE}`);
    return 2;
  }
  const texts = await productModules();
  const mutants = drawMutants(texts, count, seed);
  if (values.list) {
    for (const mutant of mutants) console.log(describeMutant(texts.get(mutant.path) as string, mutant));
    return 0;
  }
  // Not in /tmp, which is empty for a changed program.
  const copy = await mkdtemp('/var/tmp/mutated-');
  try {
    await rewrittenCopy(root, copy, (_, text) => text);
    await execa('npm', ['run', '-s', 'build'], { cwd: copy });
    const baseline = await readBaseline(copy, texts, mutants);
    const tried = await tryAll(copy, texts, mutants, baseline);
    console.log(reportResult(seed, tried, baseline));
  } finally {
    await removeCopy(root, copy);
  }
  return 0;
}

async function readBaseline(copy: string, texts: ReadonlyMap<string, string>, mutants: readonly Mutant[]): Promise<Baseline> {
  const file = values.baseline;
  if (file && existsSync(file)) return JSON.parse(await readFile(file, 'utf8'));
  const baseline = await playBaseline(copy, texts, mutants);
  if (file) await writeFile(file, JSON.stringify(baseline, null, 1));
  return baseline;
}

/** Returns the limit of own time for a test file with a change. Most changes that hang do so in a loop. */
const limitOf = (baseline: Baseline) => (file: string) => 30 + 3 * (baseline.seconds[file] ?? 30);

async function tryAll(
  copy: string,
  texts: ReadonlyMap<string, string>,
  mutants: readonly Mutant[],
  baseline: Baseline,
): Promise<Tried[]> {
  const tried = await readTried(values.out);
  const player = closeCopy(copy, []);
  const failing = new Set(Object.keys(baseline.leftOut));
  const all: Tried[] = [];
  // The next run loads them again.
  const restored = new Set<string>();
  try {
    for (const mutant of mutants) {
      const text = texts.get(mutant.path) as string;
      const what = describeMutant(text, mutant);
      const former = tried.get(what);
      if (former) {
        all.push(former);
        continue;
      }
      const reaching = baseline.reached[what] ?? [];
      // Code that runs in another engine cannot report that it is reached.
      const own = mutant.path.replace(/\.ts$/, '.test.ts');
      const files = nearestFirst(mutant.path, [...new Set([...reaching, ...(own in baseline.seconds ? [own] : [])])]);
      const began = Date.now();
      const judgement = await tryOut(mutant, text, files);
      if (failing.size > Object.keys(baseline.leftOut).length + MOST_FAILING)
        throw new Error(`cannot go on: ${copy}: a changed program has damaged the copy: ${[...failing].join(', ')}`);
      const one = { ...mutant, what, tests: files.length, seconds: Math.round((Date.now() - began) / 1000), ...judgement };
      all.push(one);
      const { outcome, by, tests, seconds, processor } = one;
      console.log(
        `${all.length}/${mutants.length} ${outcome}: ${what}: ${by ?? `${tests} test files`}, ${seconds} s, ${processor.toFixed(1)} s of a processor`,
      );
      if (values.out) await appendFile(values.out, `${JSON.stringify(one)}\n`);
    }
    return all;
  } finally {
    await player.close();
  }

  async function tryOut(mutant: Mutant, text: string, files: readonly string[]): Promise<Judgement> {
    const path = join(copy, mutant.path);
    const play = async (some: readonly string[], isChanged: boolean) => {
      await writeFile(path, isChanged ? withMutant(text, mutant) : text);
      const played = await player.play({ files: some, changed: [mutant.path, ...restored] }, limitOf(baseline));
      restored.clear();
      return played;
    };
    try {
      return await judge(files, play, failing);
    } finally {
      await writeFile(path, text);
      restored.add(mutant.path);
    }
  }
}

/**
 * Maximum number of test files that fail without a change. More failures mean that a changed program has damaged the
 * copy.
 */
const MOST_FAILING = 10;

/** Returns the changes that an earlier run has played. */
async function readTried(file: string | undefined): Promise<ReadonlyMap<string, Tried>> {
  if (!file || !existsSync(file)) return new Map();
  const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as Tried).map((one) => [one.what, one]));
}

async function productModules(): Promise<Map<string, string>> {
  const { stdout } = await execa('git', ['ls-files', '*.ts'], { cwd: root });
  const paths = stdout.split('\n').filter((path) => isProduct(path) && existsSync(join(root, path)));
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const)));
}

if (values.help) process.stdout.write(USAGE);
else process.exitCode = await main();
