import { describe, expect, test } from 'vitest';
import type { Definition } from '../../core/definition/definition.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { type HostShell, shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually, runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `reach-${process.pid}`;
const timing = { healthMs: 60_000, heartbeatMs: 5_000, retryMs: 200 };

type File = Parameters<typeof definitionOf>[0];
const define = (haproxy: object = {}): Definition =>
  definitionOf({
    infra: INFRA,
    provider: 'local',
    servers: [{ name: 'hub' }, { name: 'web' }],
    taskservs: [
      { name: 'haproxy', on: { server: 'hub' }, ...haproxy },
      { name: 'redis', on: { server: 'hub' }, config: { password: { generate: 'password' } } },
      { name: 'postgres', on: { server: 'hub' }, config: { allow: ['172.16.0.0/12'] } },
      { name: 'prometheus', on: { server: 'hub' } },
      { name: 'firewall', on: { server: 'hub' } },
      { name: 'nginx', on: { server: 'web' } },
      'node-exporter',
    ],
  } as File);

/** Returns the ports that a process listens on at all addresses of a host. */
const wideOpen = async (shell: HostShell): Promise<number[]> => {
  const lines = await shell(`ss -Hltn | awk '$4 ~ /^(0\\.0\\.0\\.0|\\*|\\[::\\]):/ { sub(/.*:/, "", $4); print $4 }' | sort -nu`);
  return lines.split('\n').filter(Boolean).map(Number);
};
const opens = (shell: HostShell, host: string, port: number): Promise<boolean> =>
  shell(`timeout 3 bash -c 'exec 3<>/dev/tcp/${host}/${port}' 2>/dev/null && echo yes || echo no`).then((said) => said === 'yes');

describe.skipIf(why)('what hosts of this machine let in', () => {
  let engine: TestEngine;
  const hub = shellOf(INFRA, 'hub');
  const web = shellOf(INFRA, 'web');
  const apply = (definition: Definition) => runWell(engine, { infra: INFRA, definition, onFailure: 'keep' as const, timing });
  const scraped = () =>
    eventually(async () => {
      const { data } = JSON.parse(await hub('curl -sS http://hub:9090/api/v1/query?query=up')) as {
        data: { result: { metric: { job: string; instance: string }; value: [number, string] }[] };
      };
      expect(data.result.map(({ metric, value }) => `${metric.job} ${metric.instance} ${value[1]}`).sort()).toEqual([
        'haproxy hub:8405 1',
        'node-exporter hub:9100 1',
        'node-exporter web:9100 1',
        'prometheus hub:9090 1',
      ]);
    }, 120_000);

  withHostEngine(INFRA, (started) => {
    engine = started;
  });

  test('nothing but SSH and web servers listens on all addresses, and the servers of the infra reach each other', async () => {
    await apply(define({ public: ['http'] }));
    expect(await wideOpen(hub)).toEqual([22, 80]);
    expect(await wideOpen(web)).toEqual([22, 80]);
    for (const port of [80, 6379, 5432, 8405, 9090, 9100]) expect([port, await opens(web, 'hub', port)]).toEqual([port, true]);
    expect(await opens(web, 'hub', 8404)).toBe(false);
    await scraped();
    const rules = await hub('nft list chain inet provisioning input');
    expect(rules).toMatch(/^\s*tcp dport 80 accept$/m);
    for (const port of [6379, 5432, 8405, 9090, 9100])
      expect(rules).toMatch(new RegExp(`ip saddr [0-9./{} ]+ tcp dport ${port} accept`));
    const again = await apply(define({ public: ['http'] }));
    expect(again.plan.map(({ on, taskserv, title }) => `${on}/${taskserv}: ${title}`)).toEqual([]);
  }, 900_000);

  test('what is declared public no longer is closed to all but the network', async () => {
    const closed = await apply(define());
    expect(closed.plan.map(({ on, taskserv }) => `${on}/${taskserv}`)).toEqual(expect.arrayContaining(['hub/firewall']));
    expect(await hub('nft list chain inet provisioning input')).not.toMatch(/^\s*tcp dport 80 accept$/m);
    expect(await opens(web, 'hub', 80)).toBe(true);
  }, 300_000);

  test('all is as before after a boot, whichever address the host has then', async () => {
    await apply(define({ public: ['http'] }));
    await runWell(engine, { infra: INFRA, kind: 'server', intent: { verb: 'restart', servers: ['hub'] }, timing });
    expect(await wideOpen(hub)).toEqual([22, 80]);
    await scraped();
  }, 900_000);
});
