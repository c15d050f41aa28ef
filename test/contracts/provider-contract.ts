import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnyProvider, CreateContext, ProviderConnection, Scope, ServerWanted } from '../../core/provider.js';
import { hostAccess } from './host-access.js';

/** What a suite needs of a provider besides its verbs. */
export interface ContractSubject {
  provider: AnyProvider;
  connect(): Promise<ProviderConnection>;
  /** How often a server of this name was really made. */
  countCreated(scope: Scope, name: string): Promise<number>;
  /** Stops a server behind the provider's back. */
  stop(scope: Scope, name: string): Promise<void>;
}

const SETUP = `contract-${process.pid}`;
const FOREIGN = { details: { code: 'owned-by-another', blame: 'user' } };

/** The promises that every provider keeps (core/provider.ts, `Verbs`). */
export function providerContract(subject: ContractSubject): void {
  const { provider } = subject;
  const scope: Scope = { workspace: 'contract', infra: `c${randomUUID().slice(0, 6)}`, uuid: randomUUID() };
  const stranger: Scope = { ...scope, uuid: randomUUID() };
  const context = (key = 'operation/step/1', whose = scope): CreateContext => ({ scope: whose, key, setup: SETUP });
  const access = hostAccess();
  const wanted = (changes: Partial<ServerWanted> = {}): ServerWanted => ({
    name: 'web-1',
    role: 'web',
    plan: provider.sizes.small,
    image: provider.images.default,
    labels: { team: 'red' },
    volumes: [{ name: 'data', sizeGiB: 1, mount: '/srv/data' }],
    network: 'default',
    ...changes,
  });
  let connection: ProviderConnection;

  beforeAll(async () => {
    connection = await subject.connect();
  });

  afterAll(async () => {
    for (const whose of [scope, stranger]) {
      for (const { name } of await connection.servers.list({ scope: whose }))
        await connection.servers.delete(name, { scope: whose });
      for (const { name } of await connection.volumes.list({ scope: whose }))
        await connection.volumes.delete(name, { scope: whose });
      for (const { name } of await connection.networks.list({ scope: whose }))
        await connection.networks.delete(name, { scope: whose });
    }
  });

  describe('a network', () => {
    it('is made once, however often and at once it is asked for', async () => {
      expect(await connection.networks.read('default', { scope })).toBeUndefined();
      const [first, second] = await Promise.all([1, 2].map(() => connection.networks.create({ name: 'default' }, context())));
      const third = await connection.networks.create({ name: 'default' }, context('another/key/1'));
      expect([second?.id, third.id]).toEqual([first?.id, first?.id]);
      expect(await connection.networks.list({ scope })).toEqual([{ name: 'default', id: first?.id }]);
    });

    it('of another infra is not used', async () => {
      await expect(connection.networks.create({ name: 'default' }, context('k', stranger))).rejects.toMatchObject(FOREIGN);
      await connection.networks.delete('default', { scope: stranger });
      expect(await connection.networks.read('default', { scope })).toBeDefined();
    });
  });

  describe('a server', () => {
    it('that is absent is read as undefined, and its deletion succeeds', async () => {
      expect(await connection.servers.read('web-1', { scope })).toBeUndefined();
      await connection.servers.delete('web-1', { scope });
    });

    it('is made once by two calls at once', async () => {
      const made = await Promise.all([1, 2].map(() => connection.servers.create(wanted(), { ...context(), access })));
      expect(made[0]?.id).toBe(made[1]?.id);
      expect(made[0]?.name).toBe('web-1');
      expect(await subject.countCreated(scope, 'web-1')).toBe(1);
    });

    it('is found by a later call with the same key, and adopted by one with another', async () => {
      const ids = new Set<string>();
      for (const key of ['operation/step/1', 'other/step/1']) {
        ids.add((await connection.servers.create(wanted(), { ...context(key), access })).id);
      }
      expect(ids.size).toBe(1);
      expect(await subject.countCreated(scope, 'web-1')).toBe(1);
    });

    it('becomes ready, and then is as wanted', async () => {
      const ready = await connection.servers.ready('web-1', { scope, signal: AbortSignal.timeout(30_000) });
      expect(ready).toMatchObject({ status: 'running', labels: { team: 'red' }, volumes: ['data'], network: 'default' });
      expect(connection.servers.diff(wanted(), ready)).toEqual({ action: 'noop' });
      expect(await connection.servers.read('web-1', { scope })).toEqual(ready);
    });

    it('of another infra is named, not used, not listed and not deleted', async () => {
      await expect(connection.servers.read('web-1', { scope: stranger })).rejects.toMatchObject(FOREIGN);
      await expect(connection.servers.read('web-1', { scope: stranger })).rejects.toThrow(scope.uuid);
      await expect(connection.servers.create(wanted(), { ...context('k', stranger), access })).rejects.toMatchObject(FOREIGN);
      expect(await connection.servers.list({ scope: stranger })).toEqual([]);
      await connection.servers.delete('web-1', { scope: stranger });
      expect((await connection.servers.list({ scope })).map(({ name }) => name)).toEqual(['web-1']);
    });

    it('that drifted is told apart: in place or by replacement', async () => {
      const found = await connection.servers.read('web-1', { scope });
      if (!found) throw new Error('web-1 is gone');
      const action = (changes: Partial<ServerWanted>) => connection.servers.diff(wanted(changes), found).action;
      expect(action({ plan: provider.sizes.medium })).toBe('update');
      expect(action({ labels: {} })).toBe('update');
      expect(action({ image: 'other' })).toBe('replace');
      expect(action({ network: 'other' })).toBe('replace');
      expect(action({ volumes: [] })).toBe('replace');
    });

    it('is updated in place', async () => {
      const before = await connection.servers.read('web-1', { scope });
      const changed = wanted({ plan: provider.sizes.medium, labels: { team: 'blue' } });
      const updated = await connection.servers.update(changed, context('operation/update/1'));
      expect(updated.id).toBe(before?.id);
      const after = await connection.servers.read('web-1', { scope });
      expect(after && connection.servers.diff(changed, after)).toEqual({ action: 'noop' });
      expect(after && connection.servers.diff(wanted(), after).action).toBe('update');
    });

    it('that was stopped is started by an update', async () => {
      await subject.stop(scope, 'web-1');
      const stopped = await connection.servers.read('web-1', { scope });
      expect(stopped?.status).toBe('stopped');
      expect(
        stopped && connection.servers.diff(wanted({ plan: provider.sizes.medium, labels: { team: 'blue' } }), stopped).action,
      ).toBe('update');
      await connection.servers.update(wanted(), context('operation/update/2'));
      const ready = await connection.servers.ready('web-1', { scope, signal: AbortSignal.timeout(30_000) });
      expect(connection.servers.diff(wanted(), ready)).toEqual({ action: 'noop' });
    });

    it('is made anew by a replacement', async () => {
      const before = await connection.servers.read('web-1', { scope });
      await connection.servers.delete('web-1', { scope });
      expect(await connection.servers.read('web-1', { scope })).toBeUndefined();
      const replaced = wanted({ volumes: [] });
      const made = await connection.servers.create(replaced, { ...context('operation/step/2'), access });
      expect(connection.servers.diff(replaced, made).action).toBe('noop');
      expect(made.volumes).toEqual([]);
      if (made.connection.kind === 'ssh') expect(made.id).not.toBe(before?.id);
    });

    it('obeys the signal to stop', async () => {
      const signal = AbortSignal.abort(new Error('enough'));
      await expect(connection.servers.list({ scope, signal })).rejects.toThrow('enough');
      await expect(connection.servers.create(wanted({ name: 'web-9' }), { ...context(), signal, access })).rejects.toThrow(
        'enough',
      );
      expect(await connection.servers.read('web-9', { scope })).toBeUndefined();
      await expect(connection.servers.ready('web-1', { scope, signal })).rejects.toThrow('enough');
    });

    it('that exists no more cannot become ready or be updated', async () => {
      const gone = { details: { code: 'server-gone', blame: 'user' } };
      await expect(connection.servers.ready('web-9', { scope })).rejects.toMatchObject(gone);
      await expect(connection.servers.update(wanted({ name: 'web-9' }), context())).rejects.toMatchObject(gone);
    });
  });

  describe('what is owned', () => {
    it('is all that bears the labels of a workspace and a set-up, with who made it and when', async () => {
      const owned = async (workspace: string) =>
        (await connection.owned({ workspace, setup: SETUP })).filter((one) => one.scope.uuid === scope.uuid);
      const key = 'some-operation/server/own-1/1';
      await connection.networks.create({ name: 'default' }, context('some-operation/network/default/1'));
      await connection.servers.create(wanted({ name: 'own-1' }), { ...context(key), access });
      const rows = await owned('contract');
      expect(rows.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
        expect.arrayContaining(['server own-1', 'network default', 'volume own-1/data']),
      );
      const server = rows.find(({ kind, name }) => kind === 'server' && name === 'own-1');
      expect(server).toMatchObject({ scope, key, since: expect.stringMatching(/^\d{4}-.*Z$/) });
      expect(rows.find(({ kind, name }) => kind === 'volume' && name === 'own-1/data')?.key).toBe(key);
      expect(await owned('another')).toEqual([]);
      await connection.servers.delete('own-1', { scope });
      for (const { name } of await connection.volumes.list({ scope })) await connection.volumes.delete(name, { scope });
      expect((await owned('contract')).filter(({ name }) => name.startsWith('own-1'))).toEqual([]);
    });
  });

  describe('volumes', () => {
    it('come with their server, are listed by server and name, and go with it', async () => {
      expect(await connection.volumes.list({ scope })).toEqual([]);
      await connection.servers.create(wanted({ name: 'db-1' }), { ...context(), access });
      expect((await connection.volumes.list({ scope })).map(({ name }) => name)).toEqual(['db-1/data']);
      expect(await connection.volumes.list({ scope: stranger })).toEqual([]);
      await connection.servers.delete('db-1', { scope });
      expect(await connection.volumes.list({ scope })).toEqual([]);
      await connection.volumes.delete('db-1/data', { scope });
    });
  });

  it('leaves nothing after all is deleted, twice', async () => {
    await expect(connection.networks.delete('default', { scope })).rejects.toMatchObject({ details: { code: 'network-in-use' } });
    for (let round = 0; round < 2; round++) {
      await connection.servers.delete('web-1', { scope });
      await connection.networks.delete('default', { scope });
    }
    expect(await connection.servers.list({ scope })).toEqual([]);
    expect(await connection.networks.list({ scope })).toEqual([]);
    expect(await connection.volumes.list({ scope })).toEqual([]);
    await expect(connection.servers.create(wanted(), { ...context(), access })).rejects.toMatchObject({
      details: { code: 'network-missing' },
    });
  });
}
