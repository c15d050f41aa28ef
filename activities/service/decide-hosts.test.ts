import { expect, test } from 'vitest';
import type { DecidedService, DecideInput } from './decide.js';
import { createDecideHosts } from './decide-hosts.js';

const host = (name: string) => ({ server: { name } }) as unknown as DecideInput;
const decided: DecidedService[] = [{ taskserv: 'nginx', steps: [], healthy: true }];
const hosts = ['web', 'gone', 'db'].map(host);

test('of a host that cannot be looked at there is no answer, and of the others there is', async () => {
  const decide = async ({ server }: DecideInput) => {
    if (server.name === 'gone') throw new Error('it cannot be reached');
    return decided;
  };
  expect(await createDecideHosts(decide, () => false)({ hosts })).toEqual([decided, null, decided]);
});

test('where a limit counts looks, none is taken together with others', async () => {
  const looks: string[] = [];
  const decide = async ({ server }: DecideInput) => {
    looks.push(server.name);
    return decided;
  };
  expect(await createDecideHosts(decide, () => true)({ hosts })).toEqual([null, null, null]);
  expect(looks).toEqual([]);
});
