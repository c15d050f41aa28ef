import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whyNoMoto } from '../clouds/aws/moto.js';
import { startAws } from '../clouds/aws/stand-in.js';
import { leftIn } from '../clouds/hetzner/behind.js';
import { startHetzner } from '../clouds/hetzner/stand-in.js';
import { startUpCloud } from '../clouds/upcloud/stand-in.js';
import { accountOf, LABELS, MOST_SERVERS } from './account.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'acceptance-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Cloud {
  provider: string;
  start(): Promise<{ env: Record<string, string>; secrets: string[]; close(): Promise<unknown> }>;
  whyNot?: string;
}

const noMoto = await whyNoMoto();
const CLOUDS: Cloud[] = [
  {
    provider: 'hetzner',
    async start() {
      const { token, endpoint, close } = await startHetzner();
      return { env: { HCLOUD_TOKEN: token, HCLOUD_ENDPOINT: endpoint }, secrets: [token], close };
    },
  },
  {
    provider: 'upcloud',
    async start() {
      const { token, url, close } = await startUpCloud();
      return { env: { UPCLOUD_TOKEN: token, UPCLOUD_API_URL: url, ACCEPTANCE_POLL_MS: '20' }, secrets: [token], close };
    },
  },
  {
    provider: 'aws',
    // moto needs half a minute for the price list on a busy machine.
    ...((noMoto || !process.env.LONG) && { whyNot: noMoto ?? 'LONG=1 has it' }),
    async start() {
      const standIn = await startAws();
      const secrets = [standIn.env.AWS_SECRET_ACCESS_KEY ?? '', standIn.env.AWS_ACCESS_KEY_ID ?? ''].filter(Boolean);
      return { env: { ...standIn.env, ACCEPTANCE_POLL_MS: '10' }, secrets, close: () => standIn.close() };
    },
  },
];

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

function begin(env: Record<string, string>, ...args: string[]): ChildProcess & { ended: Promise<Ran> } {
  const run = ['--import', 'tsx', 'test/acceptance/main.ts', ...args];
  const child = spawn(process.execPath, run, { cwd: ROOT, env: { PATH: process.env.PATH, HOME: folder, ...env }, detached: true });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (chunk) => {
      said[name] += chunk;
    });
  return Object.assign(child, { ended: once(child, 'close').then(([code]) => ({ code, ...said })) });
}
const acceptance = (env: Record<string, string>, ...args: string[]) => begin(env, ...args).ended;

for (const { provider, start, whyNot } of CLOUDS)
  describe.skipIf(whyNot)(`the acceptance of ${provider}${whyNot ? ` (left out: ${whyNot})` : ''}`, () => {
    let cloud: Awaited<ReturnType<Cloud['start']>>;
    beforeAll(async () => {
      cloud = await start();
    });
    afterAll(() => cloud?.close());
    const owned = async () =>
      (await (await accountOf(provider, cloud.env)).connection.owned(LABELS)).map(({ kind, name }) => `${kind} ${name}`);

    test('refuses to begin beyond the ceiling, and makes nothing', async () => {
      const { code, stdout, stderr } = await acceptance(cloud.env, provider, '--max-cost', '0.0001', '--yes');
      expect([code, stderr]).toEqual([2, expect.stringContaining('the ceiling is 0.0001')]);
      expect(stdout).toMatch(/highest cost: [\d.]+ (EUR|USD)/);
      expect(await owned()).toEqual([]);
    });

    test('plays the contract, leaves nothing, and its recording has no secret', async () => {
      const recording = join(folder, `${provider}.jsonl`);
      const { code, stdout, stderr } = await acceptance(
        cloud.env,
        provider,
        '--max-cost',
        '50',
        '--yes',
        '--json',
        '--record',
        recording,
      );
      const said = JSON.parse(stdout);
      expect([said.failed, code, stderr]).toEqual([[], 0, '']);
      expect(said).toMatchObject({ left: [], passed: expect.any(Number) });
      expect(said.passed).toBeGreaterThan(25);
      expect(said.spent.servers).toBeGreaterThan(5);
      expect(said.spent.servers).toBeLessThanOrEqual(MOST_SERVERS);
      expect(said.spent.spent).toBeLessThanOrEqual(said.planned.highest);
      expect(await owned()).toEqual([]);
      const text = readFileSync(recording, 'utf8');
      const verbs = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).verb);
      expect(verbs).toEqual(expect.arrayContaining(['servers.create', 'networks.create', 'owned']));
      for (const secret of cloud.secrets) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/PRIVATE KEY|ssh-ed25519 AAAA|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/);
    });

    /** Starts a run, and returns after it has created a server. */
    async function begun() {
      const child = begin(cloud.env, provider, '--max-cost', '50', '--yes');
      for (let tries = 0; (await owned()).every((row) => !row.startsWith('server')); tries++) {
        if (tries > 1_200 || child.exitCode !== null) throw new Error(`no server was made: ${JSON.stringify(await child.ended)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return child;
    }

    test.each([
      ['Ctrl-C, which all of the terminal get', (pid: number) => process.kill(-pid, 'SIGINT')],
      ['a signal for the command alone', (pid: number) => process.kill(pid, 'SIGTERM')],
    ])('%s, ends the run and sweeps', async (_, signal) => {
      const child = await begun();
      signal(child.pid ?? 0);
      expect((await child.ended).code).toBe(130);
      expect(await owned()).toEqual([]);
      // The process that created servers has ended, too.
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      expect(await owned()).toEqual([]);
    });

    test('a sweep after a kill leaves nothing', async () => {
      const child = await begun();
      // Kill the process with its children.
      process.kill(-(child.pid ?? 0), 'SIGKILL');
      await child.ended;
      expect(await owned()).not.toEqual([]);
      const { code, stdout } = await acceptance(cloud.env, provider, '--sweep', '--json');
      expect([code, JSON.parse(stdout).left]).toEqual([0, []]);
      expect(JSON.parse(stdout).removed).toContain('server web-1');
      expect(await owned()).toEqual([]);
    });
  });

describe('bad input', () => {
  test.each<[string, string[], Record<string, string>]>([
    ['exactly one provider', [], {}],
    ['--max-cost', ['hetzner'], { HCLOUD_TOKEN: 'x' }],
    ['no provider has this name', ['nowhere', '--max-cost', '1'], {}],
    ['nothing is paid', ['local', '--max-cost', '1'], {}],
    ['there is no token', ['hetzner', '--max-cost', '1'], {}],
  ])('%s', async (why, args, env) => {
    const { code, stderr } = await acceptance(env, ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  });

  test('help names the exit codes', async () => {
    expect(await acceptance({}, '--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('Exit codes') });
    expect(existsSync(join(folder, '.config'))).toBe(false);
  });
});

test('a stand-in is empty at its start', async () => {
  const standIn = await startHetzner();
  expect(leftIn(standIn)).toEqual({});
  await standIn.close();
});
