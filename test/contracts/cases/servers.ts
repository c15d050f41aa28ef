import { expect } from 'vitest';
import type { WantedServer } from '../../../core/machine/provider.js';
import { type ContractCase, FOREIGN } from './case.js';

/** Cases about the server `web-1`, which one case creates and the next ones use. */
export const servers: ContractCase[] = [
  {
    kind: 'server',
    title: 'that is absent is read as undefined, and its deletion succeeds',
    async run({ connection, scope }) {
      expect(await connection.servers.read('web-1', { scope })).toBeUndefined();
      await connection.servers.delete('web-1', { scope });
    },
  },
  {
    kind: 'server',
    title: 'is made once by two calls at once',
    async run({ connection, subject, scope, wanted, context, access }) {
      const made = await Promise.all([1, 2].map(() => connection.servers.create(wanted(), { ...context(), access })));
      expect(made[0]?.id).toBe(made[1]?.id);
      expect(made[0]?.name).toBe('web-1');
      expect(await subject.countCreated(scope, 'web-1')).toBe(1);
    },
  },
  {
    kind: 'server',
    title: 'is found by a later call with the same key, and adopted by one with another',
    async run({ connection, subject, scope, wanted, context, access }) {
      const ids = new Set<string>();
      for (const key of ['operation/step/1', 'other/step/1']) {
        ids.add((await connection.servers.create(wanted(), { ...context(key), access })).id);
      }
      expect(ids.size).toBe(1);
      expect(await subject.countCreated(scope, 'web-1')).toBe(1);
    },
  },
  {
    kind: 'server',
    title: 'becomes ready, and then is as wanted',
    async run({ connection, scope, wanted }) {
      const ready = await connection.servers.ready('web-1', { scope, signal: AbortSignal.timeout(120_000) });
      expect(ready).toMatchObject({ status: 'running', labels: { team: 'red' }, volumes: ['data'], network: 'default' });
      expect(connection.servers.diff(wanted(), ready)).toEqual({ action: 'noop' });
      expect(await connection.servers.read('web-1', { scope })).toEqual(ready);
    },
  },
  {
    kind: 'server',
    title: 'of another infra is named, not used, not listed and not deleted',
    async run({ connection, scope, stranger, wanted, context, access }) {
      await expect(connection.servers.read('web-1', { scope: stranger })).rejects.toMatchObject(FOREIGN);
      await expect(connection.servers.read('web-1', { scope: stranger })).rejects.toThrow(scope.uuid);
      await expect(connection.servers.create(wanted(), { ...context('k', stranger), access })).rejects.toMatchObject(FOREIGN);
      expect(await connection.servers.list({ scope: stranger })).toEqual([]);
      await connection.servers.delete('web-1', { scope: stranger });
      expect((await connection.servers.list({ scope })).map(({ name }) => name)).toEqual(['web-1']);
    },
  },
  {
    kind: 'server',
    title: 'that drifted is told apart: in place or by replacement',
    async run({ connection, provider, scope, wanted }) {
      const found = await connection.servers.read('web-1', { scope });
      if (!found) throw new Error('web-1 is gone');
      const action = (changes: Partial<WantedServer>) => connection.servers.diff(wanted(changes), found).action;
      expect(action({ plan: provider.sizes.medium })).toBe('update');
      expect(action({ labels: {} })).toBe('update');
      expect(action({ image: 'other' })).toBe('replace');
      expect(action({ network: 'other' })).toBe('replace');
      expect(action({ volumes: [] })).toBe('replace');
    },
  },
  {
    kind: 'server',
    title: 'is updated in place: plan and labels',
    async run({ connection, provider, scope, wanted, context }) {
      const before = await connection.servers.read('web-1', { scope });
      const changed = wanted({ plan: provider.sizes.medium, labels: { team: 'blue' } });
      const updated = await connection.servers.update(changed, context('operation/update/1'));
      expect(updated.id).toBe(before?.id);
      const after = await connection.servers.read('web-1', { scope });
      expect(after && connection.servers.diff(changed, after)).toEqual({ action: 'noop' });
      expect(after && connection.servers.diff(wanted(), after).action).toBe('update');
    },
  },
  {
    kind: 'server',
    title: 'that was stopped is started by an update',
    async run({ connection, provider, subject, scope, wanted, context }) {
      await subject.stop(scope, 'web-1');
      const stopped = await connection.servers.read('web-1', { scope });
      expect(stopped?.status).toBe('stopped');
      const asBefore = wanted({ plan: provider.sizes.medium, labels: { team: 'blue' } });
      expect(stopped && connection.servers.diff(asBefore, stopped).action).toBe('update');
      await connection.servers.update(wanted(), context('operation/update/2'));
      const ready = await connection.servers.ready('web-1', { scope, signal: AbortSignal.timeout(120_000) });
      expect(connection.servers.diff(wanted(), ready)).toEqual({ action: 'noop' });
    },
  },
  {
    kind: 'server',
    title: 'is stopped, started and restarted; what is so already stays so',
    offered: ({ connection }) => connection.power !== undefined,
    async run({ connection, scope, wanted }) {
      const { power, servers } = connection;
      if (!power) return;
      const before = await servers.read('web-1', { scope });
      for (const [action, status] of [
        ['stop', 'stopped'],
        ['stop', 'stopped'],
        ['start', 'running'],
        ['start', 'running'],
        ['restart', 'running'],
      ] as const) {
        const found = await power('web-1', action, { scope, signal: AbortSignal.timeout(60_000) });
        expect([action, found.status, found.id]).toEqual([action, status, before?.id]);
      }
      const ready = await servers.ready('web-1', { scope, signal: AbortSignal.timeout(120_000) });
      expect(servers.diff(wanted(), ready)).toEqual({ action: 'noop' });
      await expect(power('web-9', 'start', { scope })).rejects.toMatchObject({ details: { code: 'server-gone', blame: 'user' } });
    },
  },
  {
    kind: 'server',
    title: 'says the end of its console, or that it has none',
    offered: ({ connection }) => connection.console !== undefined,
    async run({ connection, scope }) {
      expect(['string', 'undefined']).toContain(typeof (await connection.console?.('web-1', { scope })));
    },
  },
  {
    kind: 'server',
    title: 'is made again by a replacement',
    async run({ connection, scope, wanted, context, access }) {
      const before = await connection.servers.read('web-1', { scope });
      await connection.servers.delete('web-1', { scope, replaced: true });
      expect(await connection.servers.read('web-1', { scope })).toBeUndefined();
      const replaced = wanted({ volumes: [] });
      const made = await connection.servers.create(replaced, { ...context('operation/step/2'), access });
      expect(connection.servers.diff(replaced, made).action).toBe('noop');
      expect(made.volumes).toEqual([]);
      if (made.connection.kind === 'ssh') expect(made.id).not.toBe(before?.id);
    },
  },
  {
    kind: 'server',
    title: 'obeys the signal to stop',
    async run({ connection, scope, wanted, context, access }) {
      const signal = AbortSignal.abort(new Error('enough'));
      await expect(connection.servers.list({ scope, signal })).rejects.toThrow('enough');
      const creating = connection.servers.create(wanted({ name: 'web-9' }), { ...context(), signal, access });
      await expect(creating).rejects.toThrow('enough');
      expect(await connection.servers.read('web-9', { scope })).toBeUndefined();
      await expect(connection.servers.ready('web-1', { scope, signal })).rejects.toThrow('enough');
    },
  },
  {
    kind: 'server',
    title: 'that exists no more cannot become ready or be updated',
    async run({ connection, scope, wanted, context }) {
      const gone = { details: { code: 'server-gone', blame: 'user' } };
      await expect(connection.servers.ready('web-9', { scope })).rejects.toMatchObject(gone);
      await expect(connection.servers.update(wanted({ name: 'web-9' }), context())).rejects.toMatchObject(gone);
    },
  },
];
