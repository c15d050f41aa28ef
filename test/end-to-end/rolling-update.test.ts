import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OperationResult } from '../../core/operation/operation.js';
import type { UpdateSettings } from '../../core/operation/rolling.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { type LoadReport, steadyLoad } from '../support/load.js';
import { eventually, run, runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `roll-${process.pid}`;
const WEBS = ['web-1', 'web-2', 'web-3'];
/** A restart of nginx takes longer than a few requests. */
const PER_SECOND = 50;
const timing = { healthMs: 20_000, heartbeatMs: 10_000, retryMs: 200 };

/** Prints ten times a second which servers get no requests from haproxy. */
const WATCH = `use strict; use IO::Socket::UNIX; $| = 1;
while (1) {
  my $socket = IO::Socket::UNIX->new(Peer => "/run/haproxy/admin.sock");
  if ($socket) {
    print $socket "show stat\\n"; local $/; my $text = <$socket>;
    my @out = map { (split /,/)[1] } grep { /^servers,web/ && (split /,/)[17] !~ /^UP/ } split /\\n/, $text;
    print join(" ", "out:", @out), "\\n";
  }
  select undef, undef, undef, 0.1;
}`;

/** Returns the state of web-1 in haproxy. */
const SHOW = `perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Peer => "/run/haproxy/admin.sock"); print $s "show stat\\n"; print grep { /^servers,web-1/ } <$s>'`;

describe.skipIf(why)('a rolling update of nginx behind haproxy on three hosts, under load', () => {
  let engine: TestEngine;
  let url = '';
  const lb = shellOf(INFRA, 'lb');
  const web = (name: string) => shellOf(INFRA, name);

  const define = (sites: { name: string; serverName: string; port?: number; root: string }[], update?: UpdateSettings, port = 80) =>
    definitionOf({
      infra: INFRA,
      provider: 'local',
      servers: [{ name: 'lb' }, { name: 'web', count: 3 }],
      taskservs: [
        { name: 'haproxy', on: { server: 'lb' } },
        { name: 'nginx', on: { role: 'web' }, config: { onChange: 'restart', port, sites }, ...(update ? { update } : {}) },
      ],
    });
  const docs = (host: string) => [{ name: 'docs', serverName: host, root: '/srv/docs' }];
  const request = (definition: ReturnType<typeof define>, more = {}) => ({ infra: INFRA, definition, timing, ...more });
  const pids = () => Promise.all(WEBS.map((name) => web(name)('systemctl show -p MainPID --value nginx')));

  /** Runs an operation under load. Returns the results of the requests, and the maximum number of drained servers. */
  async function underLoad(work: () => Promise<OperationResult>) {
    const watcher = await lb(`nohup perl -e '${WATCH}' >/tmp/watch 2>/dev/null & echo $!`);
    const load = steadyLoad(url, PER_SECOND);
    await sleep(2_000);
    const began = Date.now();
    const result = await work().finally(() => sleep(2_000));
    const report = await load.stop();
    await lb(`kill ${watcher}`);
    const outs = (await lb('cat /tmp/watch')).split('\n').map((line) => line.split(' ').slice(1).filter(Boolean));
    const seen = [...new Set(outs.flat())].sort();
    const mostOut = Math.max(...outs.map((out) => out.length));
    console.log(
      `${result.status} in ${((Date.now() - began) / 1_000).toFixed(1)} s: ${report.sent} requests, ${failedOf(report)} failed ${JSON.stringify(report.failed)}, ${report.again} sent again, slowest ${report.slowestMs} ms; out at a time: at most ${mostOut} of 3 (${outs.length} samples: ${seen.join(', ')})`,
    );
    return { result, report, mostOut, seen };
  }

  withHostEngine(INFRA, async (started) => {
    engine = started;
    await runWell(engine, request(define(docs('docs.example.org'))));
    const [id = ''] = await containersOf(INFRA, 'lb');
    const { NetworkSettings } = await new Docker().getContainer(id).inspect();
    url = `http://${Object.values(NetworkSettings.Networks)[0]?.IPAddress}/`;
  });

  test('no request fails, and never more than one server is out', async () => {
    const definition = define(docs('handbook.example.org'), { batch: 1 });
    const preview = await runWell(engine, request(definition, { check: true }));
    expect(preview.plan.filter(({ on }) => on === 'lb').map(({ title }) => title)).toEqual(
      WEBS.flatMap((name) => [`Take ${name}-nginx out of service`, `Put ${name}-nginx back into service`]),
    );
    const before = await pids();
    const { result, report, mostOut, seen } = await underLoad(() => runWell(engine, request(definition)));
    expect(report.failed).toEqual({});
    expect(report.ok).toBe(report.sent);
    expect(report.sent).toBeGreaterThan(PER_SECOND * 5);
    expect(mostOut).toBe(1);
    // The operation only drains servers at haproxy. The configuration of haproxy does not change.
    expect(seen).toEqual(WEBS.map((name) => `${name}-nginx`));
    expect(result.steps.executed).toBe(result.plan.length);
    const after = await pids();
    for (const [index, pid] of after.entries()) expect(pid).not.toBe(before[index]);
    expect((await runWell(engine, request(definition))).steps).toEqual({ executed: 0, planned: 0 });
  });

  /** Runs the work while the balancer cannot connect to web-1. */
  async function cutOff(work: () => Promise<void>): Promise<void> {
    const address = await lb("getent ahostsv4 web-1 | awk 'NR == 1 { print $1 }'");
    const cut = 'add table inet cut; add chain inet cut out { type filter hook output priority 0; }';
    await lb(`nft '${cut}; add rule inet cut out ip daddr ${address} tcp dport 80 reject'`);
    try {
      await eventually(async () => expect(await lb(SHOW)).toContain(',DOWN,'));
      await work();
    } finally {
      await lb('nft delete table inet cut');
    }
    await eventually(async () => expect(await lb(SHOW)).toContain(',UP,'));
  }

  test('all at once, the balancer is not healthy while it does not use what was changed', () =>
    cutOff(async () => {
      const definition = define(docs('pages.example.org'), { strategy: 'all-at-once' });
      const result = await run(engine, request(definition, { onFailure: 'rollback' }));
      expect([result.status, result.error?.on, result.left]).toEqual(['rolled-back', 'lb/haproxy', []]);
      expect(result.error?.why).toMatch(/haproxy uses web-1-nginx: web-1-nginx is DOWN: L4CON/);
    }));

  test('one that the balancer found down before does not fail a change of something else', async () => {
    await cutOff(async () => {
      const { result, report } = await underLoad(() => run(engine, request(define(docs('manual.example.org')))));
      expect([result.status, result.error]).toEqual(['done', undefined]);
      expect(report.failed).toEqual({});
    });
  });

  test('to another port: each returns on it before the balancer has read its new configuration', async () => {
    const definition = define(docs('manual.example.org'), undefined, 8083);
    const { result, report, mostOut } = await underLoad(() => run(engine, request(definition)));
    expect([result.status, result.error, report.failed]).toEqual(['done', undefined, {}]);
    expect(mostOut).toBe(1);
    const intent = { verb: 'rollback' as const, of: result.operation };
    const back = await underLoad(() => run(engine, { infra: INFRA, intent, timing }));
    expect([back.result.status, back.result.error, back.result.left]).toEqual(['done', undefined, []]);
  });

  describe('with a change that lets no nginx start', () => {
    /** Another program holds the port of a new site. */
    const broken = (update: UpdateSettings) =>
      define([...docs('handbook.example.org'), { name: 'wiki', serverName: '_', port: 8088, root: '/srv/wiki' }], update);

    beforeAll(async () => {
      for (const name of WEBS)
        await web(name)(
          `setsid perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalPort => 8088) or die; sleep' >/dev/null 2>&1 </dev/null &`,
        );
    });

    test('rolling: it fails on the first, is rolled back there, and no request fails', async () => {
      const before = await pids();
      const { result, report, mostOut, seen } = await underLoad(() =>
        run(engine, request(broken({ batch: 1 }), { onFailure: 'rollback' })),
      );
      expect([result.status, result.error?.on, result.left]).toEqual(['rolled-back', 'web-1/nginx', []]);
      expect(report.failed).toEqual({});
      expect([mostOut, seen]).toEqual([1, ['web-1-nginx']]);
      expect((await pids()).slice(1)).toEqual(before.slice(1));
    });

    test('all at once, requests do fail: what keeps them whole is the rolling update', async () => {
      const { result, report } = await underLoad(() =>
        run(engine, request(broken({ strategy: 'all-at-once' }), { onFailure: 'rollback' })),
      );
      expect(result.status).toBe('rolled-back');
      expect(failedOf(report)).toBeGreaterThan(0);
    });
  });
});

const failedOf = ({ failed }: LoadReport): number => Object.values(failed).reduce((sum, count) => sum + count, 0);
