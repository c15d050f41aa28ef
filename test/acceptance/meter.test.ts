import { expect, test } from 'vitest';
import type { ProviderConnection, WantedServer } from '../../core/machine/provider.js';
import { metered } from './meter.js';

const price = (hourly: number) => ({ z: { currency: 'EUR', hourly } });
const plan = (name: string) => ({ name, cores: 1, memoryMiB: 1024, diskGiB: 10 });
const sold = {
  defaultZone: 'z',
  plans: [
    { ...plan('a'), zones: price(1) },
    { ...plan('b'), zones: price(3) },
  ],
};
const scope = { workspace: 'w', infra: 'i', uuid: 'u' };
const wanted = (name: string, of = 'a') => ({ name, plan: plan(of), volumes: [] }) as unknown as WantedServer;

function set(ceiling: number) {
  let at = 0;
  const asked: string[] = [];
  const servers = {
    create: async ({ name }: WantedServer) => void asked.push(`create ${name}`),
    update: async ({ name }: WantedServer) => void asked.push(`update ${name}`),
    delete: async (name: string) => void asked.push(`delete ${name}`),
  };
  const connection = metered({ servers } as unknown as ProviderConnection, {
    provider: 'p',
    sold,
    dearest: 3,
    ceiling,
    now: () => at,
  });
  const pass = (hours: number) => {
    at += hours * 3_600_000;
  };
  const make = (name: string, of?: string) => connection.servers.create(wanted(name, of), { scope } as never);
  return {
    ...connection,
    asked,
    pass,
    make,
    update: (name: string, of: string) => connection.servers.update(wanted(name, of), { scope } as never),
  };
}

test('counts each hour that a server has begun, also after it is gone, and one that exists once', async () => {
  const { meter, pass, make, servers } = set(10);
  await make('x');
  await make('x');
  expect([meter.made(), meter.spent()]).toEqual([1, 1]);
  pass(1.5);
  expect(meter.spent()).toBe(2);
  await servers.delete('x', { scope });
  pass(5);
  expect(meter.spent()).toBe(2);
  await make('x');
  expect([meter.made(), meter.spent()]).toEqual([2, 3]);
});

test('refuses what would go beyond the ceiling before the provider is asked', async () => {
  const { asked, make, update } = set(4);
  await make('x');
  await expect(make('y', 'unsold')).resolves.toBeUndefined();
  await expect(make('z')).rejects.toMatchObject({ details: { code: 'cost-ceiling' } });
  await expect(update('x', 'b')).rejects.toMatchObject({ details: { code: 'cost-ceiling' } });
  expect(asked).toEqual(['create x', 'create y']);
});
