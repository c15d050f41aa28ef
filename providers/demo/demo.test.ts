import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { fingerprint, type ProviderConnection, type Step, type WantedServer } from '../../sdk/index.js';
import { pathOf } from './config.js';
import { demo } from './index.js';
import { configureDemo, countEffects, readDemo } from './store/account.js';

const folder = mkdtempSync(join(tmpdir(), 'provisioning-demo-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const scope = { workspace: 'default', infra: 'shop', uuid: '11111111-2222-4333-8444-555555555555' };
const access = { authorizedKey: '', hostKey: { private: '', public: '' } };
const wanted = (name: string): WantedServer => ({
  name,
  role: 'web',
  plan: demo.sizes.small,
  image: 'debian-12',
  labels: {},
  volumes: [],
  network: 'default',
});
let path: string;
let number = 0;
let connection: ProviderConnection;

beforeEach(async () => {
  path = join(folder, `${++number}.json`);
  connection = await demo.connect(demo.config.parse({ path }));
  await connection.networks.create({ name: 'default' }, { scope, key: 'k' });
});

const create = (name: string, key = 'op/step/1', signal?: AbortSignal) =>
  connection.servers.create(wanted(name), { scope, key, access, signal });

/**
 * Creates a signal that aborts shortly after something waits for it. On a slow machine, a fixed time could be too
 * short.
 */
function leaveOnceAwaited(): AbortSignal {
  const caller = new AbortController();
  const { signal } = caller;
  const listen = signal.addEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof listen>) => {
    listen(...given);
    setTimeout(() => caller.abort(new Error('timeout')), 10);
  };
  return signal;
}

describe('a demo account', () => {
  it('loses an answer though the server was made; the next call finds it', async () => {
    await configureDemo(path, { failures: [{ verb: 'servers.create', name: 'web-1', error: 'after-effect' }] });
    await create('web-2');
    await expect(create('web-1')).rejects.toMatchObject({ details: { code: 'demo-lost-answer', blame: 'weather' } });
    expect((await create('web-1')).name).toBe('web-1');
    expect(countEffects(await readDemo(path), { verb: 'servers.create', name: 'web-1', key: 'op/step/1' })).toBe(1);
  });

  it('fails as often as it is told, before anything happens', async () => {
    await configureDemo(path, {
      failures: [
        { verb: 'servers.create', times: 2, error: 'weather' },
        { verb: 'servers.list', error: 'user' },
      ],
    });
    for (let time = 0; time < 2; time++) await expect(create('web-1')).rejects.toMatchObject({ details: { blame: 'weather' } });
    await expect(connection.servers.list({ scope })).rejects.toMatchObject({ details: { code: 'demo-refused', blame: 'user' } });
    expect(await connection.servers.list({ scope })).toEqual([]);
    await create('web-1');
    expect((await readDemo(path)).settings.failures).toEqual([]);
  });

  it('hangs until its caller gives up', async () => {
    await configureDemo(path, { failures: [{ verb: 'servers.create', error: 'hang' }] });
    await expect(create('web-1', 'k', leaveOnceAwaited())).rejects.toThrow(/timeout/);
    expect(await connection.servers.read('web-1', { scope })).toBeUndefined();
  });

  it('acts and then says nothing', async () => {
    await configureDemo(path, { failures: [{ verb: 'servers.create', error: 'silence' }] });
    await expect(create('web-1', 'k', leaveOnceAwaited())).rejects.toThrow(/timeout/);
    expect((await create('web-1')).name).toBe('web-1');
    expect(countEffects(await readDemo(path), { verb: 'servers.create' })).toBe(1);
  });

  it('says when to come again, and counts who comes earlier', async () => {
    await configureDemo(path, { failures: [{ verb: 'servers.create', error: 'rate-limited', retryAfterMs: 80 }] });
    const refused = { details: { code: 'rate-limited', blame: 'weather' } };
    await expect(create('web-1')).rejects.toMatchObject({ details: { ...refused.details, retryAfterMs: 80 } });
    await expect(create('web-1')).rejects.toMatchObject(refused);
    await create('web-2');
    await sleep(100);
    await create('web-1');
    expect((await readDemo(path)).early).toEqual(['servers.create web-1']);
  });

  it('takes its time, by verb and name', async () => {
    await configureDemo(path, { latencyMs: { 'servers.create:web-1': 60, boot: 100 } });
    const started = performance.now();
    expect((await create('web-1')).status).toBe('starting');
    expect(performance.now() - started).toBeGreaterThanOrEqual(59);
    const beats: string[] = [];
    const ready = await connection.servers.ready('web-1', { scope, beat: (what) => beats.push(what) });
    expect(ready.status).toBe('running');
    expect(beats.length).toBeGreaterThan(0);
  });

  it('has a quota and a rate limit', async () => {
    await configureDemo(path, { limits: { servers: 1 } });
    await create('web-1');
    await expect(create('web-2')).rejects.toMatchObject({ details: { code: 'quota-exceeded', blame: 'user' } });
    await configureDemo(path, { limits: { callsPerSecond: 2 } });
    const calls = await Promise.allSettled([1, 2, 3].map(() => connection.servers.list({ scope })));
    const refused = calls.flatMap((call) => (call.status === 'rejected' ? [call.reason] : []));
    expect(refused).toMatchObject([{ details: { code: 'rate-limited', blame: 'weather' } }]);
    const wait: number = refused[0].details.retryAfterMs;
    expect(wait).toBeGreaterThan(0);
    await sleep(wait + 5);
    await connection.servers.list({ scope });
  });

  it('is kept below PROVISIONING_HOME', () => {
    const config = demo.config.parse({ account: 'ci' });
    expect(pathOf(config, { PROVISIONING_HOME: '/srv/state' })).toBe('/srv/state/demo/ci.json');
  });
});

describe('a simulated host', () => {
  const steps: Step[] = [
    { title: 'Install the package redis', package: { name: 'redis', state: 'present' } },
    { title: 'Write /etc/redis.conf', file: { path: '/etc/redis.conf', content: 'a' } },
    { title: 'Start redis', service: { name: 'redis', state: 'running', enabled: true } },
  ];
  const hostOf = (name = 'web-1') => {
    const host = connection.host?.(name);
    if (!host) throw new Error('no host');
    return host;
  };
  beforeEach(async () => {
    await create('web-1');
  });

  it('goes on after the last finished step of the same key', async () => {
    await configureDemo(path, {
      failures: [
        { verb: 'host.step', name: 'Start redis', error: 'after-effect' },
        { verb: 'host.step', name: 'Write /etc/redis.conf', error: 'weather' },
      ],
    });
    const begun: string[] = [];
    const run = () => hostOf().run('redis', steps, { key: 'k1', onStep: (title, index) => begun.push(`${index} ${title}`) });
    await expect(run()).rejects.toMatchObject({ details: { code: 'demo-weather' } });
    await expect(run()).rejects.toMatchObject({ details: { code: 'demo-lost-answer' } });
    await run();
    expect(begun).toEqual(['0 Install the package redis', '1 Write /etc/redis.conf', '1 Write /etc/redis.conf', '2 Start redis']);
    expect(await hostOf().executed('redis')).toEqual(steps.map((step) => fingerprint(step)));
    const account = await readDemo(path);
    for (const { title } of steps)
      expect(countEffects(account, { verb: 'host.step', name: `web-1/redis: ${title}`, key: 'k1' })).toBe(1);
    expect(await hostOf().healthy('redis')).toBe(true);
  });

  it('runs each step once though two attempts run at once', async () => {
    await configureDemo(path, { latencyMs: { 'host.step': 5 } });
    await Promise.all([1, 2].map(() => hostOf().run('redis', steps, { key: 'k1' })));
    expect(countEffects(await readDemo(path), { verb: 'host.step' })).toBe(3);
  });

  it('undoes a run, step by step, to what was there before', async () => {
    await hostOf().run('redis', steps, { key: 'k1' });
    const changed: Step = { title: 'Write /etc/redis.conf', file: { path: '/etc/redis.conf', content: 'b' } };
    await hostOf().run('redis', [changed], { key: 'k2' });
    expect(await hostOf().executed('redis')).not.toContain(fingerprint(steps[1]));
    await configureDemo(path, { failures: [{ verb: 'host.undo', error: 'after-effect' }] });
    await expect(hostOf().undo('redis', 'k2')).rejects.toMatchObject({ details: { code: 'demo-lost-answer' } });
    for (let time = 0; time < 2; time++) await hostOf().undo('redis', 'k2');
    expect(await hostOf().executed('redis')).toEqual(steps.map((step) => fingerprint(step)));
    expect(countEffects(await readDemo(path), { verb: 'host.undo' })).toBe(1);
    await hostOf().undo('redis', 'k1');
    expect(await hostOf().executed('redis')).toEqual([]);
    expect(await hostOf().healthy('redis')).toBe(false);
  });

  it('bears nothing of a taskserv after it forgot it, and again after that was undone', async () => {
    await hostOf().run('redis', steps, { key: 'k1' });
    await hostOf().run('redis', [{ title: 'Forget redis', run: 'true', undo: 'true' }], { key: 'k2' });
    expect(await hostOf().executed('redis')).toEqual([]);
    await hostOf().undo('redis', 'k2');
    expect(await hostOf().executed('redis')).toHaveLength(3);
  });

  it('is unhealthy where it is told so', async () => {
    await hostOf().run('redis', steps, { key: 'k1' });
    await configureDemo(path, { unhealthy: ['web-1/redis'] });
    expect(await hostOf().healthy('redis')).toBe(false);
  });

  it('that is gone cannot be reached, bears nothing, and has nothing to undo', async () => {
    await connection.servers.delete('web-1', { scope });
    await expect(hostOf().run('redis', steps, { key: 'k1' })).rejects.toMatchObject({ details: { code: 'host-unreachable' } });
    expect(await hostOf().executed('redis')).toEqual([]);
    await hostOf().undo('redis', 'k1');
  });

  it('is found by its connection where two infras have servers of one name', async () => {
    const other = { ...scope, infra: 'blog', uuid: '99999999-2222-4333-8444-555555555555' };
    await connection.networks.create({ name: 'default' }, { scope: other, key: 'k' });
    const { connection: address } = await connection.servers.create(wanted('web-1'), { scope: other, key: 'k', access });
    await hostOf('default/shop/web-1').run('redis', steps, { key: 'k1' });
    expect(address).toEqual({ kind: 'demo', account: 'default', server: 'default/blog/web-1' });
    expect(await hostOf('default/blog/web-1').executed('redis')).toEqual([]);
    await expect(hostOf('web-1').executed('redis')).rejects.toMatchObject({ details: { code: 'ambiguous-server' } });
  });
});
