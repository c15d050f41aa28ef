import { expect } from 'vitest';
import { type ContractCase, ownedBy } from './case.js';

export const ownership: ContractCase[] = [
  {
    kind: 'ownership',
    title: 'is all that bears the labels of a workspace and a set-up, with who made it and when',
    async run(stage) {
      const { connection, scope, setup, wanted, context, access } = stage;
      const owned = async (workspace: string) =>
        (await connection.owned({ workspace, setup })).filter((one) => one.scope.uuid === scope.uuid);
      const key = 'some-operation/server/own-1/1';
      await connection.networks.create({ name: 'default' }, context('some-operation/network/default/1'));
      await connection.servers.create(wanted({ name: 'own-1' }), { ...context(key), access });
      const rows = await owned(scope.workspace);
      expect(rows.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
        expect.arrayContaining(['server own-1', 'network default', 'volume own-1/data']),
      );
      const server = rows.find(({ kind, name }) => kind === 'server' && name === 'own-1');
      expect(server).toMatchObject({ scope, key, since: expect.stringMatching(/^\d{4}-.*Z$/) });
      expect(rows.find(({ kind, name }) => kind === 'volume' && name === 'own-1/data')?.key).toBe(key);
      expect(await owned('another')).toEqual([]);
      await connection.servers.delete('own-1', { scope });
      for (const { name } of await connection.volumes.list({ scope })) await connection.volumes.delete(name, { scope });
      expect((await ownedBy(stage)).filter((row) => row.includes('own-1'))).toEqual([]);
    },
  },
];

/** Last case: it removes the resources of the others. */
export const ending: ContractCase[] = [
  {
    kind: 'ownership',
    title: 'ends with the deletion of all, twice: nothing is left, nor what went along with servers',
    async run(stage) {
      const { connection, scope, wanted, context, access } = stage;
      await expect(connection.networks.delete('default', { scope })).rejects.toMatchObject({ details: { code: 'network-in-use' } });
      for (let round = 0; round < 2; round++) {
        await connection.servers.delete('web-1', { scope });
        await connection.networks.delete('default', { scope });
      }
      expect(await connection.servers.list({ scope })).toEqual([]);
      expect(await connection.networks.list({ scope })).toEqual([]);
      expect(await connection.volumes.list({ scope })).toEqual([]);
      expect(await ownedBy(stage)).toEqual([]);
      await expect(connection.servers.create(wanted(), { ...context(), access })).rejects.toMatchObject({
        details: { code: 'network-missing' },
      });
      expect(await ownedBy(stage)).toEqual([]);
    },
  },
];
