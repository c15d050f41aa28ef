import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { askSystemctl, askSystemd } from '../../activities/host/look/look-units.js';
import { provisioning } from '../support/command-line.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { pauseHost, shellOf, unpauseHost, whyNoHosts } from '../support/hosts.js';
import { runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `now-${process.pid}`;
const timing = { healthMs: 60_000, heartbeatMs: 5_000, retryMs: 200 };
type File = Parameters<typeof definitionOf>[0];
const definition = definitionOf({
  infra: INFRA,
  provider: 'local',
  servers: [{ name: 'a' }, { name: 'b' }],
  taskservs: [
    { name: 'nginx', on: { server: 'a' } },
    { name: 'firewall', on: { server: 'a' } },
    { name: 'redis', on: { server: 'b' } },
  ],
} as File);

describe.skipIf(why)('what status says', () => {
  let engine: TestEngine;
  const [a, b] = [shellOf(INFRA, 'a'), shellOf(INFRA, 'b')];
  const apply = () => runWell(engine, { infra: INFRA, definition, onFailure: 'keep' as const, timing });
  /** Returns the states by server and taskserv, and the exit code. A busy machine gets more time. */
  const status = async (line: string, seconds = 120) => {
    const { code, stdout, stderr } = await provisioning(engine, [...line.split(' '), '--json', '--timeout', `${seconds}`]);
    expect(stderr).toBe('');
    const { services, servers = [] } = JSON.parse(stdout) as {
      services: { server: string; taskserv: string; state: string }[];
      servers?: { name: string; state: string }[];
    };
    return {
      code,
      services: Object.fromEntries(services.map(({ server, taskserv, state }) => [`${server}/${taskserv}`, state])),
      servers: Object.fromEntries(servers.map(({ name, state }) => [name, state])),
    };
  };

  withHostEngine(INFRA, (started) => {
    engine = started;
  });

  test('is what is on the hosts, whatever was recorded', { timeout: 600_000 }, async () => {
    await apply();
    const healthy = { 'a/firewall': 'healthy', 'a/nginx': 'healthy', 'b/redis': 'healthy' };
    expect(await status(`cluster status ${INFRA}`)).toEqual({
      ...{ code: 0, services: healthy, servers: { a: 'running', b: 'running' } },
    });

    // States of units without systemctl, in its words.
    const units = ['nginx', 'no-such-unit', 'apt-daily.timer', 'dbus.socket', 'multi-user.target'];
    const told = (text: string) => text.split('\n\n').map((unit) => unit.split('\n').sort());
    expect(told(await a(askSystemd(units)))).toEqual(told(await a(askSystemctl(units))));

    await a('systemctl stop nginx && nft flush ruleset');
    await b('DEBIAN_FRONTEND=noninteractive apt-get remove -y -q redis-server >/dev/null');
    expect(await a('systemctl is-active nginx || true')).toBe('inactive');
    const broken = { 'a/nginx': 'unhealthy', 'b/redis': 'missing' };
    const { code, services } = await status(`taskserv status --infra ${INFRA}`);
    expect([code, services]).toEqual([1, { ...broken, 'a/firewall': expect.stringMatching(/^(unhealthy|missing)$/) }]);
    const recorded = await provisioning(engine, ['taskserv', 'status', '--infra', INFRA, '--recorded', '--json']);
    expect([recorded.code, JSON.parse(recorded.stdout)]).toMatchObject([
      0,
      { recorded: [{ infra: INFRA, at: expect.any(String) }], services: [{ healthy: true }, { healthy: true }, { healthy: true }] },
    ]);
    const refreshed = await provisioning(engine, ['refresh', INFRA, '--timeout', '120']);
    expect([refreshed.code, refreshed.stdout]).toEqual([1, expect.stringMatching(/unhealthy +service +a\/nginx .*Start nginx/)]);

    await a('echo "# by hand" >>/etc/nginx/conf.d/provisioning.conf');
    const preview = ['taskserv', 'update', '--infra', INFRA, '--check'];
    const { stdout } = await provisioning(engine, [...preview, '--diff']);
    expect(stdout).toMatch(/~ Write \/etc\/nginx\/conf\.d\/provisioning\.conf \(repair\)\n +@@ .*\n(.*\n)*? +-# by hand\n/);
    expect(stdout).toMatch(/\+ Install the package redis-server \(repair\)\n/);
    expect(stdout).toMatch(/steps: \d+ to add, \d+ to change, .*; 0 lines added in files, 1 removed\n/);
    const document = JSON.parse((await provisioning(engine, [...preview, '--json'])).stdout);
    expect(document.plan).toContainEqual({
      on: 'b',
      taskserv: 'redis',
      title: 'Install the package redis-server',
      change: 'add',
      repair: true,
    });

    await apply();
    expect(await status(`taskserv status --infra ${INFRA}`)).toMatchObject({ code: 0, services: healthy });
    expect((await provisioning(engine, ['refresh', INFRA, '--timeout', '120'])).code).toBe(0);

    await pauseHost(INFRA, 'b');
    try {
      // A short time-out, because this host never answers. The speed of the other host does not decide its state.
      const late = await status('server status b', 3);
      expect([late.code, late.services, late.servers]).toEqual([3, { 'b/redis': 'unknown' }, { b: 'unknown' }]);
    } finally {
      await unpauseHost(INFRA, 'b');
    }
    expect(await status('server status b')).toEqual({ code: 0, services: { 'b/redis': 'healthy' }, servers: { b: 'running' } });
  });

  test('a saved plan is carried out as it was read, and refused once the host has drifted further', {
    timeout: 600_000,
  }, async () => {
    const at = (name: string) => join(engine.home.root, name);
    const file = (nginx: string) =>
      [
        `infra: ${INFRA}`,
        'provider: local',
        'servers: [{ name: a }, { name: b }]',
        'taskservs:',
        `  - { name: nginx, on: { server: a }${nginx} }`,
        '  - { name: firewall, on: { server: a } }',
        // On host a, the test before has flushed the rules by which a container resolves names.
        '  - { name: postgres, on: { server: b } }',
        '  - { name: redis, on: { server: b } }',
        '',
      ].join('\n');
    const apply = async (...args: string[]) => {
      const { code, stdout } = await provisioning(engine, ['apply', ...args]);
      return [code, stdout] as const;
    };
    await writeFile(at('shop.yaml'), file(''));
    const [made, how] = await apply(at('shop.yaml'), '--yes');
    expect([made, made === 0 ? '' : how]).toEqual([0, '']);

    await a('systemctl stop nginx; echo "# by hand" >>/etc/nginx/conf.d/provisioning.conf; nft flush ruleset');
    await b('systemctl stop postgresql@15-main');
    await writeFile(at('shop.yaml'), file(', config: { port: 8081 }'));
    const [saved, preview] = await apply(at('shop.yaml'), '--plan-out', at('shop.plan'));
    expect([saved, preview]).toEqual([0, expect.stringMatching(/Saved the plan to \S+shop\.plan \(hash [0-9a-f]{16}\)/)]);

    await a('cp -a /etc/nginx/conf.d/provisioning.conf /root/nginx.kept; echo "# more" >>/etc/nginx/conf.d/provisioning.conf');
    await a('cp -a /etc/nftables.conf /root/nftables.kept; rm /etc/nftables.conf');
    await b('systemctl start postgresql@15-main');
    const look = () =>
      a(
        'cat /etc/nginx/conf.d/*; ls /etc/nftables.conf 2>&1 || true; nft list ruleset; systemctl is-active nginx || true; find /var/lib/provisioning | sort',
      );
    const before = await look();
    const [refused, said] = await apply(at('shop.plan'), '--yes');
    expect([refused, said]).toEqual([2, expect.stringContaining('cannot carry out the plan: it has changed since it was made')]);
    const part = (head: string) => said.split(`${head}:\n`)[1]?.split(/^\S/m)[0];
    expect(part('in the plan, and different now')).toMatch(
      /a\/firewall\n( .*\n)* +[+~] Write \/etc\/nftables\.conf: what is there has changed\n( .*\n)* +a\/nginx\n +~ Write \/etc\/nginx\/conf\.d\/provisioning\.conf: what is there has changed/,
    );
    expect(part('in the plan, and not planned now')).toContain('+ Start postgresql@15-main');
    expect(await look()).toBe(before);

    await a('mv /root/nginx.kept /etc/nginx/conf.d/provisioning.conf; mv /root/nftables.kept /etc/nftables.conf');
    await b('systemctl stop postgresql@15-main');
    // The definition has changed since.
    await writeFile(at('shop.yaml'), file(', config: { port: 8090 }'));
    const [carried, so] = await apply(at('shop.plan'), '--yes');
    expect([carried, carried === 0 ? '' : so]).toEqual([0, '']);
    expect(await a('curl -sf http://127.0.0.1:8081/ >/dev/null && echo served')).toBe('served');
    await writeFile(at('shop.yaml'), file(', config: { port: 8081 }'));
    expect((await apply(at('shop.yaml'), '--check'))[1]).toContain('nothing to do');
  });
});
