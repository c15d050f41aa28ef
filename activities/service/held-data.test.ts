import { expect, test } from 'vitest';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { fact } from '../../sdk/index.js';
import type { HostRef } from '../host/host.js';
import { createIdentify } from './held-data.js';

const scope = { workspace: 'default', infra: 'shop', uuid: 'u-1' };
const connection = { kind: 'simulated' } as never;
const taskservs = {
  postgres: { name: 'postgres', identity: fact('', () => '', '') },
  redis: { name: 'redis' },
} as unknown as Record<string, AnyTaskserv>;

/** @param says what each server answers; none: it cannot be reached */
const identify = (says: Record<string, string>) =>
  createIdentify(
    ({ server }: HostRef) =>
      ({
        look: async () => {
          if (says[server] === undefined) throw new Error('unreachable');
          return { answers: [{ found: { identity: says[server] } }] };
        },
      }) as never,
  );

const at = (server: string) => ({ server, provider: 'demo', connection });
const data = { taskserv: 'postgres', server: 'db', machine: 'm1' };

test('a host says which data it has, and only what a taskserv reads is asked', async () => {
  expect(await identify({ db: '75' })(scope, taskservs, [{ ...data, at: at('db') }])).toEqual([{ ...data, identity: '75' }]);
  const other = { taskserv: 'redis', server: 'db' };
  expect(await identify({})(scope, taskservs, [{ ...other, at: at('db') }])).toEqual([other]);
});

test('data that is yet to come is asked on the server where it is', async () => {
  const moves = { taskserv: 'postgres', server: 'ops', at: at('db') };
  expect(await identify({ db: '75', ops: '99' })(scope, taskservs, [moves])).toMatchObject([{ server: 'ops', identity: '75' }]);
});

test('without a machine, without data and without an answer it stays unsaid', async () => {
  expect(await identify({})(scope, taskservs, [data])).toEqual([data]);
  expect(await identify({ db: '' })(scope, taskservs, [{ ...data, at: at('db') }])).toEqual([data]);
  expect(await identify({})(scope, taskservs, [{ ...data, at: at('db') }])).toEqual([data]);
});
