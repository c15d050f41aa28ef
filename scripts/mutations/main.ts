/**
 * `npm run mutations`: changes one place of the product at a time, and plays the unit tests that use its module. A change
 * that none of them notices is a hole in the unit tests, or makes no difference.
 *
 * A changed program may remove or end anything: it runs where all file systems are read-only but its own copy, where it
 * reaches no socket of the machine, and sees no processes but its own.
 */
import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { optionsOf } from '../proofs/options.js';
import { isProduct, removeCopy, rewrittenCopy } from '../trace/copy.js';
import { drawMutants } from './draw.js';
import { describeMutant, type Mutant, withMutant } from './mutants.js';
import { nearestFirst, readUsers, type Users } from './users.js';

const USAGE = `npm run mutations [-- OPTIONS]

Changes one place of the product at a time, and plays the unit tests that use its module. Needs root.

  --count N      so many changes (default: 100)
  --seed N       draws other changes (default: 1)
  --users FILE   which unit test uses which module: read if the file is there, else recorded, which takes ten minutes
  --out FILE     appends one JSON text for each change as it ends, and does not play again what is there (default: none)
  --list         print the changes, and play nothing
`;

const root = resolve(import.meta.dirname, '../..');
/** Seconds for the tests of one change: most changes that hang do so in a loop. */
const LIMIT = 600;

/** `unclear`: too many tests fail without the change as well. */
type Outcome = 'noticed' | 'missed' | 'not used' | 'unclear';

const { values } = optionsOf(USAGE, {
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    users: { type: 'string' },
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
  const modules = await productModules();
  const mutants = drawMutants(modules, count, seed);
  const textOf = (mutant: Mutant) => describeMutant(modules.get(mutant.path) as string, mutant);
  if (values.list) {
    for (const mutant of mutants) console.log(textOf(mutant));
    return 0;
  }
  const users = await readUsers(root, values.users);
  // Not in /tmp, which is empty for a changed program.
  const copy = await mkdtemp('/var/tmp/mutated-');
  const counts: Record<Outcome, number> = { noticed: 0, missed: 0, 'not used': 0, unclear: 0 };
  try {
    await rewrittenCopy(root, copy, (_, text) => text);
    await execa('npm', ['run', '-s', 'build'], { cwd: copy });
    const ended = await endedIn(values.out);
    for (const [index, mutant] of mutants.entries()) {
      const former = ended.get(textOf(mutant));
      if (former) {
        counts[former] += 1;
        continue;
      }
      const outcome = await tryOut(copy, mutant, modules.get(mutant.path) as string, users);
      counts[outcome.outcome] += 1;
      console.log(
        `${index + 1}/${mutants.length} ${outcome.outcome}: ${textOf(mutant)}: ${outcome.tests} test files, ${outcome.seconds} s`,
      );
      if (values.out) await appendFile(values.out, `${JSON.stringify({ ...mutant, what: textOf(mutant), ...outcome })}\n`);
    }
  } finally {
    await removeCopy(root, copy);
  }
  if (failing.size > 0) console.log(`left out, because they fail without a change: ${[...failing].join(', ')}`);
  const share = Math.round((100 * counts.noticed) / mutants.length);
  console.log(
    `seed ${seed}: ${counts.noticed} of ${mutants.length} noticed (${share} %), ${counts.missed} missed, ${counts['not used']} in modules that no unit test uses, ${counts.unclear} unclear`,
  );
  return 0;
}

/** The changes that an earlier run has played, each with what came of it. */
async function endedIn(file: string | undefined): Promise<ReadonlyMap<string, Outcome>> {
  if (!file || !existsSync(file)) return new Map();
  const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => JSON.parse(line) as { what: string; outcome: Outcome }).map(({ what, outcome }) => [what, outcome]),
  );
}

async function productModules(): Promise<Map<string, string>> {
  const { stdout } = await execa('git', ['ls-files', '*.ts'], { cwd: root });
  const paths = stdout.split('\n').filter((path) => isProduct(path) && existsSync(join(root, path)));
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const)));
}

async function tryOut(copy: string, mutant: Mutant, text: string, users: Users) {
  const files = nearestFirst(mutant.path, users.get(mutant.path) ?? []);
  if (files.length === 0) return { outcome: 'not used' as const, tests: 0, seconds: 0 };
  const path = join(copy, mutant.path);
  await writeFile(path, withMutant(text, mutant));
  const began = Date.now();
  try {
    const outcome = (await judge(copy, path, text, files.slice(0, FIRST))) ?? (await judge(copy, path, text, files.slice(FIRST)));
    return { outcome: outcome ?? ('missed' as const), tests: files.length, seconds: Math.round((Date.now() - began) / 1000) };
  } finally {
    await writeFile(path, text);
  }
}

/** Test files that fail in the copy without a change: they lack a socket, an identity, or something else of the machine. */
const failing = new Set<string>();

/** What these tests say of a change; undefined if they all pass. A test that also fails without the change says nothing. */
async function judge(copy: string, path: string, text: string, files: readonly string[]): Promise<Outcome | undefined> {
  const usable = files.filter((file) => !failing.has(file));
  if (usable.length === 0) return undefined;
  const changed = await readFile(path, 'utf8');
  if (await playAlone(copy, usable)) return undefined;
  await writeFile(path, text);
  if (await playAlone(copy, usable)) return 'noticed';
  for (const file of usable) {
    await writeFile(path, text);
    if (!(await playAlone(copy, [file]))) {
      failing.add(file);
      continue;
    }
    await writeFile(path, changed);
    if (!(await playAlone(copy, [file]))) return 'noticed';
  }
  await writeFile(path, changed);
  return failing.size > MOST_FAILING ? 'unclear' : undefined;
}

/** More than these fail only if a changed program has damaged the copy. */
const MOST_FAILING = 20;

/** So many of the nearest test files are played first: most changes end there. */
const FIRST = 4;

/** Plays unit tests in the copy, where nothing else can be written. Returns whether all passed. */
async function playAlone(copy: string, files: readonly string[]): Promise<boolean> {
  const script = [
    'set -e',
    'mount --bind "$1" "$1"',
    // Those of the kernel take no files. The copy is one of them now.
    'findmnt -rno TARGET | grep -vE "^/(proc|sys|dev)(/|$)" | grep -vxF "$1" | while read -r at; do mount -o remount,bind,ro "$at"; done',
    // A repository below /tmp has its packages there.
    'packages=$(readlink -f "$1/node_modules"); mount --bind "$packages" /mnt; mount -o remount,bind,ro /mnt',
    'for at in /tmp /run; do mount -t tmpfs tmpfs "$at"; done',
    'if [ ! -d "$packages" ]; then mkdir -p "$packages"; mount --bind /mnt "$packages"; fi',
    'cd "$1"',
    'shift',
    'npx vitest run --project unit --project slow --bail 1 --cache=false --configLoader runner --reporter=dot "$@"',
  ].join('\n');
  const alone = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'bash', '-c', script, 'alone', copy];
  const { exitCode } = await execa('unshare', [...alone, ...files], {
    reject: false,
    stdio: 'ignore',
    timeout: LIMIT * 1000,
    env: { HOME: '/tmp', XDG_CACHE_HOME: '/tmp' },
  });
  return exitCode === 0;
}

if (values.help) process.stdout.write(USAGE);
else process.exitCode = await main();
