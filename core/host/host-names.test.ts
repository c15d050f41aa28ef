import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { inventoryOf } from '../../test/support/inventory.js';
import type { InventoryServer } from '../infra/inventory.js';
import type { Connection } from '../machine/provider.js';
import { nameStep, namesFor, namesIn, namesStep } from './host-names.js';

const server = (name: string, connection: Connection, spec: object = {}): InventoryServer =>
  ({ name, provider: 'hetzner', connection, spec: { network: 'default', ...spec } }) as InventoryServer;
const ssh = (address: string, privateAddress?: string): Connection => ({
  kind: 'ssh',
  address,
  port: 22,
  user: 'root',
  privateAddress,
});

describe('the names that a host is told', () => {
  it('lead within a network where both are in it, and over public addresses otherwise', () => {
    const all = inventoryOf(
      server('a', ssh('192.0.2.1', '10.0.0.2')),
      server('b', ssh('192.0.2.2', '10.0.0.3')),
      server('c', ssh('192.0.2.3', '10.9.0.3'), { network: 'other' }),
      { ...server('d', ssh('192.0.2.4', '10.0.0.4')), provider: 'upcloud' },
    );
    expect(namesFor('a', ['a', 'b', 'c', 'd', 'e'], all)).toEqual({ b: '10.0.0.3', c: '192.0.2.3', d: '192.0.2.4' });
  });

  it('have its own where its services use it, within its network', () => {
    const all = inventoryOf(server('a', ssh('192.0.2.1', '10.0.0.2')), server('b', ssh('192.0.2.2')));
    expect(namesFor('a', ['a'], all, true)).toEqual({ a: '10.0.0.2' });
    expect(namesFor('b', ['b'], all, true)).toEqual({ b: '127.0.0.1' });
  });

  it('are none for hosts that see to it themselves: containers, the demo, machines that were there', () => {
    const all = inventoryOf(
      server('a', ssh('127.0.0.1')),
      server('b', { kind: 'demo', account: 'x', server: 'b' }),
      server('c', ssh('192.0.2.3'), { host: { kind: 'ssh' } }),
      server('d', ssh('192.0.2.4')),
    );
    for (const name of ['a', 'b', 'c', 'd']) expect(namesFor(name, ['a', 'b', 'c', 'd'], all)).toBeUndefined();
  });
});

describe('the step that tells them', () => {
  const say = (script: string, hosts: string): string => {
    const here = script.replaceAll('/etc/hosts', '"$hosts"');
    const run = `hosts=$(mktemp); printf '%s' "$0" >"$hosts"; ${here}\ncat "$hosts"; rm "$hosts"`;
    return execFileSync('bash', ['-euo', 'pipefail', '-c', run, hosts], { encoding: 'utf8' });
  };
  const before = '127.0.0.1 localhost\n192.0.2.9 mine\n';

  it('is not there where all is known', () => {
    expect(namesStep({ a: '10.0.0.1', b: '10.0.0.2' }, { a: '10.0.0.1' })).toBeUndefined();
  });

  it('keeps what others wrote and what is known already, and undoes itself', () => {
    const step = namesStep({}, { b: '10.0.0.2', a: '10.0.0.1' });
    if (!step || !('run' in step)) throw new Error('no step');
    const after = say(step.run, before);
    expect(after.endsWith(before)).toBe(true);
    expect(namesIn(after.slice(0, -before.length))).toEqual({ a: '10.0.0.1', b: '10.0.0.2' });
    expect(say(step.run, after)).toBe(after);
    expect(say(step.undo ?? '', after)).toBe(before);
    const next = namesStep({ a: '10.0.0.1', b: '10.0.0.2' }, { b: '10.0.0.7' });
    if (!next || !('run' in next)) throw new Error('no step');
    expect(next.title).toBe('Name the server b');
    expect(namesIn(say(next.run, after).slice(0, -before.length))).toEqual({ a: '10.0.0.1', b: '10.0.0.7' });
    expect(say(next.undo ?? '', say(next.run, after))).toBe(after);
  });

  it('takes in the address of one, whatever the host knows of others', () => {
    const run = (address: string) => {
      const step = nameStep('b', address);
      return 'run' in step ? step.run : '';
    };
    const first = say(run('10.0.0.2'), before);
    expect(first.endsWith(before)).toBe(true);
    expect(namesIn(first.slice(0, -before.length))).toEqual({ b: '10.0.0.2' });
    const others = namesStep({ b: '10.0.0.2' }, { a: '10.0.0.1' });
    const both = say(others && 'run' in others ? others.run : '', first);
    expect(namesIn(say(run('10.0.0.7'), both).slice(0, -before.length))).toEqual({ a: '10.0.0.1', b: '10.0.0.7' });
    expect(say(run('10.0.0.2'), both)).toBe(both);
  });
});
