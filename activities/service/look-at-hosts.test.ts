import { describe, expect, test } from 'vitest';
import { unreachableError } from '../../core/errors.js';
import type { DecideInput, See } from './decide.js';
import { createLookAtHosts, type HostToLookAt } from './look-at-hosts.js';

const scope = { workspace: 'w', infra: 'i', uuid: 'u' };
const host = (name: string) => ({ server: { name } }) as unknown as HostToLookAt;
const step = (title: string) => ({ title, run: 'true', secret: 'never told' }) as never;

/** Result of a look at each host, by name. */
const seeing = (found: Record<string, () => Promise<unknown>>): See =>
  (({ server }: DecideInput) => (found[server.name] as () => Promise<unknown>)()) as unknown as See;

describe('a look at hosts', () => {
  test('says of each service how it is, with the titles of its steps alone', async () => {
    const decided = [
      { taskserv: 'a', healthy: true, installed: '1', steps: [] },
      { taskserv: 'b', healthy: true, installed: '1', steps: [step('Write b')] },
      { taskserv: 'c', healthy: false, why: 'no answer', installed: '1', steps: [step('Start c')] },
      { taskserv: 'd', healthy: false, why: 'no answer', steps: [step('Install d')] },
      { taskserv: 'e', healthy: false, why: 'no answer', steps: [] },
    ];
    const look = createLookAtHosts(seeing({ x: async () => ({ decided }) }));
    const [x] = await look({ scope, hosts: [host('x')], withinMs: 1_000 });
    expect(x?.services?.map(({ taskserv, state }) => `${taskserv} ${state}`)).toEqual([
      'a healthy',
      'b differs',
      'c unhealthy',
      'd missing',
      'e unhealthy',
    ]);
    expect(x?.services?.[2]).toEqual({
      taskserv: 'c',
      state: 'unhealthy',
      installed: '1',
      why: 'no answer',
      steps: ['Start c'],
    });
  });

  test('names a host that is late or refuses, and the others are told of', async () => {
    const refused = unreachableError({ code: 'host-unreachable', what: 'log in', on: 'b', why: 'connection refused' });
    const look = createLookAtHosts(
      seeing({
        a: async () => ({ decided: [{ taskserv: 'a', healthy: true, steps: [] }] }),
        b: () => Promise.reject(refused),
        c: () => new Promise(() => {}),
      }),
    );
    expect(await look({ scope, hosts: ['a', 'b', 'c'].map(host), withinMs: 50 })).toEqual([
      { server: 'a', services: [{ taskserv: 'a', state: 'healthy' }] },
      { server: 'b', why: 'connection refused' },
      { server: 'c', why: 'no answer within 0.05 s' },
    ]);
  });
});
