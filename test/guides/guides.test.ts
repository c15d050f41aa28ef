import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cacheOf } from '../../home/home.js';
import { STARTS_NOTHING } from '../support/build.js';
import { mayMount } from '../support/journal-host.js';
import { copyOfRepository, here } from './copy.js';
import { follow, instructionsIn } from './follow.js';

/** Guides that are followed one after the other in one copy. The last one builds all their results. */
const FOLLOWED = [
  'add-a-step-kind.md',
  'add-a-kind-of-state.md',
  'add-a-provider.md',
  'add-a-command.md',
  'add-a-method.md',
  'add-a-workflow.md',
] as const;
/** Type check of the guides. It creates nothing, so it runs once, after all guides are followed. */
const TYPES = 'npx tsc --noEmit';
/** Build command. The last guide runs it too. */
const BUILD = 'npm run build';
/** Command that builds first. */
const BUILDS = 'npm run record-histories';

const PATIENT = { timeout: 1_800_000 };
let copy: string;
let home: string;

beforeAll(async () => {
  [copy, home] = await Promise.all([copyOfRepository(), mkdtemp(join(tmpdir(), 'provisioning-guide-home-'))]);
  await commit();
});
afterAll(async () => {
  await provisioning('down');
  for (const folder of [copy, home]) await rm(folder, { recursive: true, force: true });
});

async function commit(): Promise<void> {
  const by = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  await execa('git', ['add', '-A'], { cwd: copy });
  await execa('git', [...by, 'commit', '-qm', 'as it is'], { cwd: copy });
}

const textOf = (guide: (typeof FOLLOWED)[number]) => readFile(join(here, 'docs/extend', guide), 'utf8');

/** Follows a guide without its type check and its build. Returns the output of each test run, without colors. */
async function followGuide(guide: (typeof FOLLOWED)[number], more = {}): Promise<{ command: string; said: string }[]> {
  const runs: { command: string; said: string }[] = [];
  for (const instruction of instructionsIn(await textOf(guide))) {
    if (instruction.kind === 'run' && [TYPES, BUILD].includes(instruction.command)) continue;
    const said = await follow(instruction, copy, more);
    if (instruction.kind === 'edit' || !instruction.command.includes('vitest run')) continue;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
    runs.push({ command: instruction.command, said: said.replace(/\u001b\[\d+m/g, '') });
  }
  return runs;
}

/** Returns the changes in the copy since the last commit, in the format of Git. */
const changes = async () => (await execa('git', ['status', '--short', '-uall'], { cwd: copy })).stdout.split('\n');

const provisioning = (...args: string[]) => {
  const env = { PROVISIONING_HOME: home, PROVISIONING_CACHE: cacheOf() };
  return execa(process.execPath, [join(copy, 'bin/provisioning.js'), ...args], { env });
};

test('who follows docs/extend/add-a-step-kind.md has a step that is done and undone', PATIENT, async () => {
  const [kinds] = await followGuide('add-a-step-kind.md');
  // Without the permission to bind-mount over a folder of the host, the journal test is skipped.
  expect(kinds?.said).toMatch(mayMount ? /Tests +1 passed/ : /Tests +1 skipped/);
  await commit();
});

test('who follows docs/extend/add-a-kind-of-state.md has a collection that its table fits', PATIENT, async () => {
  const [collections] = await followGuide('add-a-kind-of-state.md');
  expect(collections?.said).toMatch(/Tests +1 passed/);
  await commit();
});

test('what docs/extend/add-a-provider.md says to read is there', async () => {
  const paths = [...(await textOf('add-a-provider.md')).matchAll(/`((?:providers|test)\/[^`\s]+)`/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !path.includes('/acme') && !existsSync(join(here, path)))).toEqual([]);
});

test('who follows docs/extend/add-a-provider.md has a provider that keeps the contract', PATIENT, async () => {
  // The contract and the faults run in the process of the tests.
  const runs = (await followGuide('add-a-provider.md', { [STARTS_NOTHING]: '1' })).map(({ command, said }) => {
    const summary = /Tests\s+(.*)/.exec(said)?.[1] ?? '';
    const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(summary)?.[1] ?? 0);
    return { command, passed: count('passed'), skipped: count('skipped') };
  });
  console.log(runs);
  const [first, all] = runs;
  expect(runs).toHaveLength(2);
  expect(first?.passed).toBeGreaterThanOrEqual(18);
  expect(all?.passed).toBeGreaterThan((first?.passed ?? 0) + 8);
  await commit();
});

test('who follows docs/extend/add-a-command.md has a command', PATIENT, async () => {
  await followGuide('add-a-command.md');
  expect(await readFile(join(copy, 'docs/reference/cli.md'), 'utf8')).toContain('## greet');
  await commit();
});

test('who follows docs/extend/add-a-method.md has a method', PATIENT, async () => {
  await followGuide('add-a-method.md');
  // One new file of the method. The generators created all other new files.
  expect((await changes()).filter((line) => line.includes('app/') || line.includes('client/'))).toEqual([
    '?? app/methods/operations/tally.ts',
  ]);
  expect(await readFile(join(copy, 'docs/reference/methods.md'), 'utf8')).toMatch(
    /### operations\.tally\n[^#]*permission `operation:read`/,
  );
  await commit();
});

test('who follows docs/extend/add-a-workflow.md can have it run', PATIENT, async () => {
  await followGuide('add-a-workflow.md');
  const guide = await textOf('add-a-workflow.md');
  // The guide must mention each file that it creates or changes. Otherwise readers could not find the file.
  const touched = (await changes()).map((line) => line.slice(3)).filter((path) => !/^(docs|cli)\/|request-schemas/.test(path));
  expect(touched.length).toBeGreaterThan(8);
  expect(touched.filter((path) => !guide.includes(`\`${path}\``))).toEqual([]);
});

describe('on a platform that is built of all that was made', () => {
  beforeAll(async () => {
    expect(
      instructionsIn(await textOf('add-a-workflow.md')).some((one) => 'command' in one && one.command.startsWith(BUILDS)),
    ).toBe(true);
    const { scripts } = JSON.parse(await readFile(join(copy, 'package.json'), 'utf8'));
    expect(scripts['record-histories']).toMatch(/^npm run -s build && /);
    await provisioning('up');
  });

  test('the workflow runs', PATIENT, async () => {
    const accounts = async (...more: string[]) =>
      JSON.parse((await provisioning('provider', 'accounts', ...more, '--json')).stdout).accounts as string[];
    expect(await accounts()).toEqual(expect.arrayContaining(['demo', 'local']));
    expect(await accounts('--provider', 'demo')).toEqual(['demo']);
  });

  test('the method can be asked', PATIENT, async () => {
    const count = async (...more: string[]) => JSON.parse((await provisioning('workflow', 'tally', ...more, '--json')).stdout);
    expect((await provisioning('workflow', 'tally')).stdout).toBe('count: 0');
    await provisioning('apply', join(copy, 'examples/demo.yaml'), '--yes');
    expect(await count('--infra', 'demo')).toEqual({ count: 1 });
    expect(await count('--infra', 'other')).toEqual({ count: 0 });
  });
});

test('what all of them have their readers type fits together, as the check of types says that they name', PATIENT, async () => {
  const asked = [];
  for (const guide of FOLLOWED) {
    const commands = instructionsIn(await textOf(guide)).flatMap((one) => (one.kind === 'run' ? [one.command] : []));
    // No guide may use another command for it, which would run there a second time.
    expect(commands.filter((command) => /\btsc\b|check:types/.test(command) && command !== TYPES)).toEqual([]);
    if (commands.includes(TYPES)) asked.push(guide);
  }
  expect(asked.length).toBeGreaterThanOrEqual(4);
  // The packages are linked to this repository. The type check's stored information there would be about other files.
  // Each further checker would check types that another one has checked.
  await follow({ kind: 'run', command: `${TYPES} --checkers 1 --tsBuildInfoFile dist/types.tsbuildinfo` }, copy);
});
