import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readApi } from '../../workers/engine/processes/api-process.js';
import { isAlive } from '../../workers/engine/processes/process.js';
import { readCiJobs } from '../support/ci-steps.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { eventually } from '../support/operations.js';

interface Up {
  worker: string;
  api?: { how: string; url: string; code?: string; authority?: string };
}

const LONG_MS = 60_000;

describe('an API server beside a worker', { timeout: 600_000 }, () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startTestEngine({}, { supervise: true });
  });
  afterAll(() => engine?.stop());

  const program = resolve(import.meta.dirname, '../../bin/provisioning.js');
  /** Runs a command. Returns its document, whatever its exit code is. */
  const run = async <T>(...args: string[]): Promise<T> => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args, '--json'], { env: engine.env }).catch(
      (error: { stdout: string }) => error,
    );
    return JSON.parse(stdout) as T;
  };
  const isLive = async (url: string, authority = '') => {
    const ca = await readFile(authority);
    return new Promise<number | undefined>((done, failed) => {
      get(`${url}/health/live`, { ca }, (answer) => done(answer.resume().statusCode)).on('error', failed);
    });
  };

  test('is started by up --api, stays, is started again when it dies, and ends with down', async () => {
    const first = await run<Up>('up', '--api', '--listen', '127.0.0.1:0');
    expect(first).toMatchObject({ worker: 'running', api: { how: 'started' } });
    const { url = '', code = '', authority } = first.api ?? {};
    expect(code).toMatch(/^\w{4}-/);
    expect(await isLive(url, authority)).toBe(200);
    // The code is only displayed, and stored in no file.
    expect(await readFile(`${engine.home.logs}/api.log`, 'utf8')).not.toContain(code);

    expect((await run<Up>('up')).api).toEqual({ how: 'running', url, authority });
    const before = await readApi(engine.home);
    expect(await run('status')).toMatchObject({ api: { pid: before?.pid, url, current: true } });

    process.kill(before?.pid ?? 0, 'SIGKILL');
    await eventually(async () => {
      const now = await readApi(engine.home);
      expect(now?.pid).not.toBe(before?.pid);
      expect(now && isAlive(now)).toBe(true);
      // Clients know the URL, so it must not change.
      expect(now?.url).toBe(url);
    }, LONG_MS);
    expect(await isLive(url, authority)).toBe(200);

    const other = await run<Up>('up', '--api', '--http', '--listen', '127.0.0.1:0');
    expect(other.api).toMatchObject({ how: 'replaced', url: expect.stringMatching(/^http:/) });

    const served = await readApi(engine.home);
    expect(await run('down')).toMatchObject({ api: 'stopped', worker: 'stopped' });
    expect(served && isAlive(served)).toBe(false);
    expect((await run<Up>('up')).api).toBeUndefined();
  });

  test('serves the orchestrator’s API as a service account, if it is asked for', async () => {
    const folder = join(engine.home.root, '../definitions');
    await mkdir(folder);
    const servers = ['web-01', 'web-02'].map((name) => ({ name, taskservs: ['redis'] }));
    await writeFile(join(folder, 'settings.yaml'), JSON.stringify({ infra: 'production', provider: 'demo', servers }));
    await writeFile(join(folder, '../outside.yaml'), JSON.stringify({ infra: 'production', provider: 'demo', servers }));
    await run('up');
    await run('service-account', 'create', 'default/scripts', '--role', 'deployer');
    const compat = ['--compat', '--compat-as', 'default/scripts', '--compat-root', folder, '--compat-listen', '127.0.0.1:0'];
    const { api } = await run<Up>('up', '--api', '--listen', '127.0.0.1:0', ...compat);
    const url = (api as { compat?: string }).compat ?? '';
    /** Sends a request of the orchestrators' documents, with the program that they use. */
    const curl = async (...args: string[]) =>
      JSON.parse((await promisify(execFile)('curl', ['-sS', ...args])).stdout) as { success: boolean; data: never; code?: string };
    const create = (path: string, body: unknown) =>
      curl('-X', 'POST', `${url}${path}`, '-H', 'Content-Type: application/json', '-d', JSON.stringify(body));
    expect(await curl(`${url}/health`)).toMatchObject({ success: true });
    const wish = { infra: 'production', settings: './settings.yaml', servers: ['web-01', 'web-02'], check_mode: false, wait: true };
    const { success, data: task } = await create('/workflows/servers/create', wish);
    expect([success, task]).toEqual([true, expect.stringContaining('production')]);
    const ends = (id: string) =>
      eventually(async () => {
        expect((await curl(`${url}/tasks/${id}`)).data).toMatchObject({ id, status: 'Completed', error: null });
      }, LONG_MS);
    await ends(task);
    expect((await curl(`${url}/tasks`)).data).toContainEqual(expect.objectContaining({ id: task, name: 'servers_create' }));
    const client = await engine.client();
    const [operation] = await client.operations.list({ workspace: 'default', infra: 'production' });
    expect(operation).toMatchObject({ operation: task, actor: 'service-account:default/scripts' });
    const inventory = await client.infras.inventory({ workspace: 'default', infra: 'production' });
    expect(Object.keys(inventory?.servers ?? {}).sort()).toEqual(['web-01', 'web-02']);
    await ends(
      (await create('/workflows/taskserv/create', { infra: 'production', settings: 'settings.yaml', taskserv: 'redis' })).data,
    );
    const unknown = { infra: 'production', settings: './settings.yaml', taskserv: 'kubernetes' };
    expect(await create('/workflows/taskserv/create', unknown)).toMatchObject({ success: false, code: 'unknown-taskserv' });
    const outside = await create('/workflows/servers/create', { ...wish, settings: '../outside.yaml' });
    expect(outside).toMatchObject({ success: false, code: 'outside-root' });
    await run('service-account', 'revoke', 'default/scripts', 'deployer');
    expect(await create('/workflows/servers/create', wish)).toMatchObject({ success: false });
    expect(await run('down')).toMatchObject({ api: 'stopped' });
  });

  test('is all that the examples for CI need: a preview changes nothing, and an apply needs another token', async () => {
    const { api } = await run<Up>('up', '--api', '--listen', '127.0.0.1:0');
    const place = join(engine.home.root, '../ci');
    await mkdir(join(place, 'bin'), { recursive: true });
    await writeFile(join(place, 'bin/provisioning'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 });
    const tokenOf = async (account: string, role: string) => {
      await run('service-account', 'create', account, '--role', role);
      return (await run<{ token: string }>('token', 'create', account)).token;
    };
    const tokens = {
      preview: await tokenOf('default/ci-preview', 'operator'),
      apply: await tokenOf('default/ci-apply', 'deployer'),
    };
    /** Runs the steps of a job like a runner, each in its own shell. @returns the first exit code that is not 0 */
    const play = async (steps: readonly string[], infra: string, token: string) => {
      const definition = join(place, `${infra}.json`);
      await writeFile(definition, JSON.stringify({ infra, provider: 'demo', servers: [{ name: 'web' }] }));
      const env = {
        ...{ PATH: `${place}/bin:${process.env.PATH}`, HOME: place, DEFINITION: definition },
        ...{ PROVISIONING_SERVER: api?.url, PROVISIONING_SERVER_CA: api?.authority, PROVISIONING_TOKEN: token },
      };
      for (const step of steps) {
        const { code, stderr } = await promisify(execFile)('bash', ['-e', '-c', step], { env, cwd: place }).then(
          () => ({ code: 0, stderr: '' }),
          (error: { code: number; stderr: string }) => error,
        );
        if (code !== 0) return { code, stderr };
      }
      return { code: 0, stderr: '' };
    };
    const client = await engine.client();
    const jobs = await readCiJobs();
    expect(jobs.map(({ job }) => job).sort()).toEqual([...Array(4).fill('apply'), ...Array(4).fill('preview')]);
    for (const { file, job, steps } of jobs) {
      const infra = `${file.replace(/\W+/g, '-')}-infra`;
      expect([file, job, await play(steps, infra, tokens[job])]).toEqual([file, job, { code: 0, stderr: '' }]);
      const inventory = await client.infras.inventory({ workspace: 'default', infra }).catch(() => undefined);
      expect([file, job, inventory !== undefined]).toEqual([file, job, job === 'apply']);
      if (job === 'apply')
        expect(await play(steps, `${infra}-2`, tokens.preview)).toMatchObject({ stderr: expect.stringMatching(/may not do/) });
    }
    // A preview that fails is no success.
    const [first] = jobs.filter(({ job }) => job === 'preview');
    expect((await play(first?.steps ?? [], 'never', 'prov_none_x')).code).not.toBe(0);
    expect(await run('down')).toMatchObject({ api: 'stopped' });
  });

  test('reports why it does not start, and is not asked for again', async () => {
    const used = await run<Up>('up', '--api', '--http', '--listen', '127.0.0.1:0');
    const at = new URL(used.api?.url ?? '').host;
    expect(await run('up', '--api', '--listen', 'nowhere')).toMatchObject({ error: { code: 'bad-arguments' } });
    const blocker = await run<Up>('up', '--api', '--http', '--listen', '192.0.2.1:1');
    expect(blocker).toMatchObject({ error: { code: 'bad-arguments' } });
    expect((await run<Up>('up')).api?.url).toContain(at);
    expect(await run('down')).toMatchObject({ api: 'stopped' });
  });
});
