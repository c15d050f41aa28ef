import { expect } from 'vitest';
import { sameRules } from '../../../core/machine/firewall.js';
import type { FirewallRule } from '../../../core/machine/firewall-rule.js';
import type { Feature, FoundServer } from '../../../core/machine/provider.js';
import { type ContractCase, ownedBy, type Stage } from './case.js';

const has =
  (feature: Feature) =>
  ({ provider }: Stage): boolean =>
    provider.features?.includes(feature) ?? false;

const ALL = ['0.0.0.0/0', '::/0'];
const web: FirewallRule = { protocol: 'tcp', ports: '80', from: ALL };
const range: FirewallRule = { protocol: 'udp', ports: '6000-6100', from: ['192.0.2.0/24'] };
const ping: FirewallRule = { protocol: 'icmp', from: ['0.0.0.0/0'] };

/** From outside: within its network, a recreated machine may have another address. */
const reached = ({ connection }: FoundServer) => (connection.kind === 'ssh' ? connection.address : connection.kind);

/** Cases for resources around servers: firewall, address, placement, key. */
export const aroundServers: ContractCase[] = [
  {
    kind: 'firewall',
    title: 'has the rules that are wanted, in any order',
    offered: has('firewall'),
    async run({ connection, wanted, extra }) {
      const found = await extra({ firewall: [web, range, ping] });
      expect(sameRules(found.firewall, [ping, web, range]), JSON.stringify(found.firewall)).toBe(true);
      const other = wanted({ name: 'extra-1', volumes: [], firewall: [ping, { ...web, from: [...ALL].reverse() }, range] });
      expect(connection.servers.diff(other, found)).toEqual({ action: 'noop' });
    },
  },
  {
    kind: 'firewall',
    title: 'is changed in place, taken off, and put on again',
    offered: has('firewall'),
    async run(stage) {
      const { connection, scope, wanted, context, remove } = stage;
      let turn = 0;
      for (const firewall of [[web], [], undefined, [ping]]) {
        const next = wanted({ name: 'extra-1', volumes: [], firewall });
        const before = await connection.servers.read('extra-1', { scope });
        if (firewall) expect(before && connection.servers.diff(next, before).action).toBe('update');
        await connection.servers.update(next, context(`operation/firewall/${++turn}`));
        const after = await connection.servers.ready('extra-1', { scope });
        expect(connection.servers.diff(next, after)).toEqual({ action: 'noop' });
        expect(after.id).toBe(before?.id);
      }
      await remove('extra-1');
      expect((await ownedBy(stage)).filter((row) => row.startsWith('firewall'))).toEqual([]);
    },
  },
  {
    kind: 'address',
    title: 'stays when the machine is replaced, and goes when it is deleted for good',
    offered: has('address'),
    async run(stage) {
      const { connection, scope, wanted, extra, remove } = stage;
      const before = await extra({ address: 'reserved' });
      expect(before.address).toBe('reserved');
      expect(await ownedBy(stage)).toContain('address extra-1');
      await connection.servers.delete('extra-1', { scope, replaced: true });
      const after = await extra({ address: 'reserved' });
      expect(reached(after)).toBe(reached(before));
      expect(connection.servers.diff(wanted({ name: 'extra-1', volumes: [], address: 'reserved' }), after)).toEqual({
        action: 'noop',
      });
      await remove('extra-1');
      expect((await ownedBy(stage)).filter((row) => row.startsWith('address'))).toEqual([]);
    },
  },
  {
    kind: 'address',
    title: 'is told apart where it is wanted and missing, or there and not wanted',
    offered: has('address'),
    async run({ connection, wanted, extra, remove }) {
      const plain = await extra({});
      expect(plain.address).toBeUndefined();
      const reserved = wanted({ name: 'extra-1', volumes: [], address: 'reserved' });
      expect(connection.servers.diff(reserved, plain).action).not.toBe('noop');
      expect(connection.servers.diff(wanted({ name: 'extra-1', volumes: [] }), { ...plain, address: 'reserved' }).action).not.toBe(
        'noop',
      );
      await remove('extra-1');
    },
  },
  {
    kind: 'placement',
    title: 'keeps servers of a word apart, and goes with the last of them',
    offered: has('placement'),
    async run(stage) {
      const { connection, wanted, extra, remove } = stage;
      const first = await extra({ placement: 'apart' });
      const second = await extra({ name: 'extra-2', placement: 'apart' });
      expect([first.placement, second.placement]).toEqual(['apart', 'apart']);
      const moved = wanted({ name: 'extra-1', volumes: [], placement: 'elsewhere' });
      expect(connection.servers.diff(moved, first).action).not.toBe('noop');
      await remove('extra-1');
      expect(await ownedBy(stage)).toContain('placement apart');
      await remove('extra-2');
      expect((await ownedBy(stage)).filter((row) => row.startsWith('placement'))).toEqual([]);
    },
  },
  {
    kind: 'key',
    title: 'is in the machine before anybody logs in, and so is the host key',
    offered: ({ subject }) => subject.userData !== undefined,
    async run({ subject, scope, access, extra, remove }) {
      await extra({});
      const told = (await subject.userData?.(scope, 'extra-1')) ?? '';
      expect(told).toContain(access.authorizedKey.split(' ')[1]);
      expect(told).toContain(access.hostKey.public.split(' ')[1]);
      await remove('extra-1');
    },
  },
  {
    kind: 'key',
    title: 'and all else that goes along with servers can be deleted, also what is absent',
    offered: ({ connection }) => connection.others !== undefined,
    async run({ connection, scope }) {
      for (const kind of ['key', 'firewall', 'address', 'placement'] as const)
        await connection.others?.delete(kind, 'absent-1', { scope });
    },
  },
];
