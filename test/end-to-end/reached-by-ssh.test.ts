import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { provisioning } from '../support/command-line.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { pauseHost, unpauseHost, whyNoHosts } from '../support/hosts.js';
import { runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `by-ssh-${process.pid}`;
const BIN = resolve(import.meta.dirname, '../../bin/provisioning.js');
const timing = { healthMs: 60_000, heartbeatMs: 5_000, retryMs: 200 };
const definition = definitionOf({
  infra: INFRA,
  provider: 'local',
  servers: [{ name: 'a' }, { name: 'b' }],
  taskservs: [
    { name: 'redis', on: { server: 'a' } },
    { name: 'prometheus', on: { server: 'a' } },
  ],
} as Parameters<typeof definitionOf>[0]);

describe.skipIf(why)('hosts by the ssh of this machine', () => {
  let engine: TestEngine;
  const run = (...args: string[]) => provisioning(engine, args);

  withHostEngine(INFRA, (started) => {
    engine = started;
  });

  /** Opens a tunnel, uses it, and ends it like Ctrl-C. */
  async function through(service: string, use: (port: number) => Promise<void>): Promise<number | null> {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const args = [BIN, 'server', 'tunnel', 'a', service, String(port), '--json'];
    const child = spawn('node', args, { env: engine.env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    const [said] = await Promise.race([once(child.stdout, 'data'), ended]);
    try {
      expect(JSON.parse(String(said))).toMatchObject({ server: 'a', local: { address: '127.0.0.1', port } });
      await use(port);
    } finally {
      child.kill('SIGINT');
    }
    const [code] = (await ended) as [number | null];
    return code;
  }

  test('services on loopback, and on the private address alone, answer through a tunnel', { timeout: 600_000 }, async () => {
    await runWell(engine, { infra: INFRA, definition, onFailure: 'keep' as const, timing });
    const redis = await through('redis', async (port) => {
      const socket = connect(port, '127.0.0.1');
      socket.write('PING\r\n');
      expect(String((await once(socket, 'data'))[0])).toMatch(/^(\+PONG|-NOAUTH)/);
      socket.destroy();
    });
    const prometheus = await through('prometheus', async (port) => {
      expect((await fetch(`http://127.0.0.1:${port}/-/healthy`)).status).toBe(200);
    });
    expect([redis, prometheus]).toEqual([130, 130]);
    expect(await run('server', 'tunnel', 'a', '4', '--json')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('"code": "nothing-listens"'),
    });
  });

  test('a command runs on all, and a host that does not answer is told from one where it fails', { timeout: 300_000 }, async () => {
    expect(await run('exec', 'all', '--', 'echo hello')).toMatchObject({ code: 0, stdout: '── a, b\nhello\n2 servers: 2 done\n' });
    expect(await run('exec', '--taskserv', 'redis', '--', 'exit 7')).toMatchObject({ code: 1, stdout: '── a  exit code 7\n' });
    await pauseHost(INFRA, 'b');
    try {
      const { code, stdout } = await run('exec', 'all', '--timeout', '5', '--json', '--', 'hostname');
      expect([code, JSON.parse(stdout)]).toMatchObject([
        3,
        {
          servers: [
            { server: 'a', exit: 0, stdout: 'a\n', reached: true },
            { server: 'b', exit: null, reached: false, why: 'no connection within 5 s' },
          ],
        },
      ]);
    } finally {
      await unpauseHost(INFRA, 'b');
    }
  });
});
