import { expect } from 'vitest';
import { type ContractCase, FOREIGN } from './case.js';

export const networks: ContractCase[] = [
  {
    kind: 'network',
    title: 'is made once, however often and at once it is asked for',
    async run({ connection, scope, context }) {
      expect(await connection.networks.read('default', { scope })).toBeUndefined();
      const [first, second] = await Promise.all([1, 2].map(() => connection.networks.create({ name: 'default' }, context())));
      const third = await connection.networks.create({ name: 'default' }, context('another/key/1'));
      expect([second?.id, third.id]).toEqual([first?.id, first?.id]);
      const listed = await connection.networks.list({ scope });
      expect(listed.map(({ name, id }) => ({ name, id }))).toEqual([{ name: 'default', id: first?.id }]);
      expect(connection.networks.diff({ name: 'default' }, listed[0] ?? third)).toEqual({ action: 'noop' });
    },
  },
  {
    kind: 'network',
    title: 'of another infra is not used',
    async run({ connection, scope, stranger, context }) {
      await expect(connection.networks.create({ name: 'default' }, context('k', stranger))).rejects.toMatchObject(FOREIGN);
      await connection.networks.delete('default', { scope: stranger });
      expect(await connection.networks.read('default', { scope })).toBeDefined();
    },
  },
  {
    kind: 'network',
    title: 'has the range that is wanted, and is told apart from one of another',
    offered: ({ provider }) => provider.features?.includes('network-range') ?? false,
    async run({ connection, scope, context }) {
      const wanted = { name: 'ranged', range: '10.117.3.0/24' };
      const made = await connection.networks.create(wanted, context());
      expect(made.range).toBe(wanted.range);
      const read = await connection.networks.read('ranged', { scope });
      expect(read && connection.networks.diff(wanted, read)).toEqual({ action: 'noop' });
      expect(read && connection.networks.diff({ ...wanted, range: '10.118.0.0/24' }, read).action).toBe('replace');
      await connection.networks.delete('ranged', { scope });
      expect(await connection.networks.read('ranged', { scope })).toBeUndefined();
    },
  },
  {
    kind: 'network',
    title: 'that was there already is used by its id, and neither changed nor deleted',
    offered: ({ provider, subject }) =>
      (provider.features?.includes('existing-network') ?? false) && subject.makeNetwork !== undefined,
    async run({ subject, connection, scope, context, extra, remove }) {
      const { id, isThere } = (await subject.makeNetwork?.()) ?? { id: '', isThere: async () => false };
      expect((await connection.networks.create({ name: 'given', existing: id }, context())).id).toBe(id);
      const found = await extra({ network: 'given', existingNetwork: id });
      expect(found.network).toBe('given');
      await remove('extra-1');
      await connection.networks.delete('given', { scope });
      expect(await isThere()).toBe(true);
      const missing = connection.networks.create({ name: 'given', existing: `${id.slice(0, -4)}0000` }, context('k2'));
      await expect(missing).rejects.toMatchObject({ details: { blame: 'user' } });
    },
  },
];
