import { describe, expect, test } from 'vitest';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { pauseHost, shellOf, unpauseHost, whyNoHosts } from '../support/hosts.js';
import { eventually, run, runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `moving-address-${process.pid}`;
const timing = { healthMs: 30_000, heartbeatMs: 10_000, retryMs: 200 };

describe.skipIf(why)('two servers with haproxy share an address', () => {
  let engine: TestEngine;
  /** The network of the hosts: its last address as a number, and the length of its prefix. */
  let network = { last: 0, prefix: 32 };
  const more = { PROVISIONING_PROVIDERS_LOCAL_RAW_SOCKETS: 'true' };
  withHostEngine(
    INFRA,
    (started) => {
      engine = started;
    },
    more,
  );
  const shells = { 'lb-1': shellOf(INFRA, 'lb-1'), 'lb-2': shellOf(INFRA, 'lb-2') };
  const [first, second] = [shells['lb-1'], shells['lb-2']];

  const define = (address?: string) =>
    definitionOf({
      infra: INFRA,
      provider: 'local',
      servers: [{ name: 'lb', count: 2 }],
      taskservs: [
        { name: 'firewall' },
        { name: 'haproxy' },
        ...(address === undefined
          ? []
          : [{ name: 'keepalived', config: { group: 'web', addresses: [{ address }], check: { taskserv: 'haproxy' } } }]),
      ],
    });
  const request = (address?: string) => ({ infra: INFRA, definition: define(address), timing });
  /** An address at the end of the network. Docker gives hosts the first ones. */
  const moving = (fromEnd: number) => {
    const address = network.last - fromEnd;
    return [24, 16, 8, 0].map((bits) => (address >>> bits) & 255).join('.');
  };

  /** Servers that have an address. */
  async function holders(address: string): Promise<string[]> {
    const all = await Promise.all(
      Object.entries(shells).map(async ([name, shell]) => ((await shell(`ip -o address show to ${address}`)) ? [name] : [])),
    );
    return all.flat();
  }
  /** Waits until only this server has the address. Returns the seconds. */
  async function untilAt(server: string, address: string): Promise<number> {
    const began = performance.now();
    await eventually(async () => expect(await holders(address)).toEqual([server]), 60_000);
    return (performance.now() - began) / 1_000;
  }
  /** The status of haproxy's answer at an address: 503, because nothing is behind it. */
  const answer = (address: string) => `exec 3<>/dev/tcp/${address}/80; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; head -n 1 <&3`;

  test('the first one has it, a second run changes nothing, and both are healthy', async () => {
    await runWell(engine, request());
    const [, address = '', prefix = ''] = /inet ([\d.]+)\/(\d+)/.exec(await first('ip -o -4 address show eth0')) ?? [];
    const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
    const size = 2 ** (32 - Number(prefix));
    network = { last: Math.floor(number / size) * size + size - 1, prefix: Number(prefix) };
    const { services } = await runWell(engine, request(`${moving(1)}/${network.prefix}`));
    expect(services.filter(({ taskserv }) => taskserv === 'keepalived').map(({ healthy }) => healthy)).toEqual([true, true]);
    await untilAt('lb-1', moving(1));
    expect(await second(answer(moving(1)))).toContain('503');
    const again = await run(engine, { ...request(`${moving(1)}/${network.prefix}`), check: true });
    expect(again.plan.map(({ on, title }) => `${on}: ${title}`)).toEqual([]);
  });

  test('it moves within seconds when haproxy of the first one ends, and returns', async () => {
    await first('systemctl stop haproxy');
    const moved = await untilAt('lb-2', moving(1));
    expect(await first(answer(moving(1)))).toContain('503');
    await first('systemctl start haproxy');
    await untilAt('lb-1', moving(1));
    console.info(`the address moved after ${moved.toFixed(1)} s`);
  });

  test('it moves when the first host stops answering, and is at one host again after that', async () => {
    await pauseHost(INFRA, 'lb-1');
    await eventually(async () => expect(await second(`ip -o address show to ${moving(1)}`)).not.toBe(''), 60_000);
    await unpauseHost(INFRA, 'lb-1');
    await untilAt('lb-1', moving(1));
  });

  test('another address comes by a reload', async () => {
    const pids = () => Promise.all([first, second].map((shell) => shell('systemctl show -P MainPID keepalived')));
    const before = await pids();
    await runWell(engine, request(`${moving(2)}/${network.prefix}`));
    await untilAt('lb-1', moving(2));
    expect([await pids(), await holders(moving(1))]).toEqual([before, []]);
  });

  test('an address that a host has already is refused, and nothing changes', async () => {
    const own = (await second('hostname -i')).trim();
    const { status, error } = await run(engine, request(`${own}/${network.prefix}`));
    expect([status, error?.why]).toEqual(['failed', `cannot install keepalived: ${own} is an own address of the host already`]);
    expect(await holders(moving(2))).toEqual(['lb-1']);
  });

  test('without keepalived, no host has it', async () => {
    await runWell(engine, request());
    expect(await holders(moving(2))).toEqual([]);
  });
});
