import { expect } from 'vitest';
import type { ContractCase, Stage } from './case.js';

const data = (sizeGiB = 10) => ({ name: 'data', sizeGiB, mount: '/srv/data' });
const namesOf = async ({ connection, scope }: Stage) => (await connection.volumes.list({ scope })).map(({ name }) => name).sort();

export const volumes: ContractCase[] = [
  {
    kind: 'volume',
    title: 'comes with its server, is listed by server and name, and goes with it',
    async run(stage) {
      const { connection, scope, stranger, wanted, context, access } = stage;
      expect(await namesOf(stage)).toEqual([]);
      await connection.servers.create(wanted({ name: 'db-1' }), { ...context(), access });
      expect(await namesOf(stage)).toEqual(['db-1/data']);
      expect(await connection.volumes.list({ scope: stranger })).toEqual([]);
      await connection.servers.delete('db-1', { scope });
      expect(await namesOf(stage)).toEqual([]);
      await connection.volumes.delete('db-1/data', { scope });
    },
  },
  {
    kind: 'volume',
    title: 'is grown in place, and never shrunk',
    offered: ({ provider }) => provider.features?.includes('volume-growth') ?? false,
    async run({ connection, scope, wanted, context, extra, remove }) {
      const before = await extra({ volumes: [data(10)] });
      expect(before.volumeSizes).toEqual({ data: 10 });
      const [volume] = await connection.volumes.list({ scope });
      const larger = wanted({ name: 'extra-1', volumes: [data(20)] });
      expect(connection.servers.diff(larger, before).action).toBe('update');
      await connection.servers.update(larger, context('operation/grow/1'));
      const after = await connection.servers.ready('extra-1', { scope });
      expect(after.volumeSizes).toEqual({ data: 20 });
      expect(connection.servers.diff(larger, after)).toEqual({ action: 'noop' });
      expect((await connection.volumes.list({ scope }))[0]?.id).toBe(volume?.id);
      const smaller = wanted({ name: 'extra-1', volumes: [data(10)] });
      expect(connection.servers.diff(smaller, after).action).not.toBe('noop');
      const shrinking = connection.servers.update(smaller, context('operation/shrink/1'));
      await expect(shrinking).rejects.toMatchObject({ details: { code: 'volume-shrinks', blame: 'user' } });
      await remove('extra-1');
    },
  },
  {
    kind: 'volume',
    title: 'is added to a server that is there',
    offered: ({ provider }) => provider.features?.includes('volume-growth') ?? false,
    async run(stage) {
      const { connection, wanted, context, extra, remove, scope } = stage;
      await extra({ volumes: [data()] });
      const two = wanted({ name: 'extra-1', volumes: [data(), { name: 'logs', sizeGiB: 10, mount: '/srv/logs' }] });
      await connection.servers.update(two, context('operation/add/1'));
      const after = await connection.servers.ready('extra-1', { scope });
      expect([...after.volumes].sort()).toEqual(['data', 'logs']);
      expect(connection.servers.diff(two, after)).toEqual({ action: 'noop' });
      expect(await namesOf(stage)).toEqual(['extra-1/data', 'extra-1/logs']);
      await remove('extra-1');
      expect(await namesOf(stage)).toEqual([]);
    },
  },
  {
    kind: 'volume',
    title: 'that was detached is attached again, with what is on it',
    offered: ({ subject }) => subject.detach !== undefined,
    async run(stage) {
      const { connection, subject, scope, wanted, context, extra, remove } = stage;
      await extra({ volumes: [data()] });
      const [before] = await connection.volumes.list({ scope });
      await subject.detach?.(scope, 'extra-1/data');
      const without = await connection.servers.read('extra-1', { scope });
      expect(without?.volumes).toEqual([]);
      const asBefore = wanted({ name: 'extra-1', volumes: [data()] });
      expect(without && connection.servers.diff(asBefore, without).action).toBe('update');
      await connection.servers.update(asBefore, context('operation/attach/1'));
      expect((await connection.servers.ready('extra-1', { scope })).volumes).toEqual(['data']);
      expect((await connection.volumes.list({ scope })).map(({ id }) => id)).toEqual([before?.id]);
      await remove('extra-1');
    },
  },
  {
    kind: 'volume',
    title: 'that is detached and left over is listed and deleted',
    offered: ({ subject }) => subject.detach !== undefined,
    async run(stage) {
      const { connection, subject, scope, extra, remove } = stage;
      await extra({ volumes: [data()] });
      await subject.detach?.(scope, 'extra-1/data');
      await remove('extra-1');
      for (const name of await namesOf(stage)) await connection.volumes.delete(name, { scope });
      expect(await namesOf(stage)).toEqual([]);
    },
  },
  {
    kind: 'volume',
    title: 'is backed up once by key; the backup outlives it, and is deleted by itself',
    offered: ({ connection }) => connection.backups !== undefined,
    async run({ connection, scope, stranger, context, extra, remove }) {
      const { backups } = connection;
      if (!backups) return;
      await extra({ volumes: [data()] });
      const first = await backups.create('extra-1/data', context('operation/backup/1'));
      const again = await backups.create('extra-1/data', context('operation/backup/1'));
      const other = await backups.create('extra-1/data', context('operation/backup/2'));
      expect(again.id).toBe(first.id);
      expect(other.id).not.toBe(first.id);
      await remove('extra-1');
      const listed = await backups.list({ scope });
      expect(listed.map(({ volume }) => volume)).toEqual(['extra-1/data', 'extra-1/data']);
      expect(await backups.list({ scope: stranger })).toEqual([]);
      for (const { id } of [...listed, first]) await backups.delete(id, { scope });
      expect(await backups.list({ scope })).toEqual([]);
      const nothing = backups.create('extra-1/data', context('operation/backup/3'));
      await expect(nothing).rejects.toMatchObject({ details: { code: 'volume-gone', blame: 'user' } });
    },
  },
];
