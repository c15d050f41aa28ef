import { expect } from 'vitest';
import { type ContractCase, FOREIGN, ownedBy, type Stage } from './case.js';

const sells = ({ connection }: Stage): boolean => connection.catalog !== undefined;
const user = (code: string) => ({ details: { code, blame: 'user' } });

/** Cases for a provider's offers, prices and limits. */
export const selling: ContractCase[] = [
  {
    kind: 'image',
    title: 'is offered under each name that a definition may say, and chosen by it',
    offered: sells,
    async run({ connection, provider, wanted, extra, remove }) {
      const offered = (await connection.catalog?.images()) ?? [];
      const names = offered.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining([...provider.images.supported]));
      for (const one of offered) expect([one.id, one.title].every((text) => text.length > 0)).toBe(true);
      const image = provider.images.supported.find((name) => name !== provider.images.default) ?? provider.images.default;
      const found = await extra({ image });
      expect(found.image).toBe(image);
      expect(connection.servers.diff(wanted({ name: 'extra-1', volumes: [], image }), found)).toEqual({ action: 'noop' });
      await remove('extra-1');
    },
  },
  {
    kind: 'image',
    title: 'that is not there is refused, and nothing is made',
    offered: sells,
    async run(stage) {
      await expect(stage.extra({ image: 'no-such-image-1' })).rejects.toMatchObject(user('unknown-image'));
      expect(await ownedBy(stage)).not.toContain('server extra-1');
    },
  },
  {
    kind: 'plan',
    title: 'is sold for every size, with cores and memory',
    offered: sells,
    async run({ connection, provider }) {
      const plans = (await connection.catalog?.plans()) ?? [];
      for (const { name, cores, memoryMiB } of Object.values(provider.sizes)) {
        const plan = plans.find((one) => one.name === name);
        expect([name, plan?.cores, plan?.memoryMiB]).toEqual([name, cores, memoryMiB]);
        expect(Object.keys(plan?.zones ?? {}).length, `${name} is sold nowhere`).toBeGreaterThan(0);
      }
    },
  },
  {
    kind: 'plan',
    title: 'that is not there is refused, and nothing is made',
    offered: sells,
    async run(stage) {
      const plan = { name: 'no-such-plan-1', cores: 1, memoryMiB: 1024, diskGiB: 10 };
      await expect(stage.extra({ plan })).rejects.toMatchObject(user('unknown-plan'));
      expect(await ownedBy(stage)).not.toContain('server extra-1');
    },
  },
  {
    kind: 'zone',
    title: 'is there for each region, and a server is made in it',
    offered: (stage) => sells(stage) && Object.keys(stage.provider.regions ?? {}).length > 0,
    async run({ connection, provider, scope, context, wanted, extra, remove }) {
      const zones = (await connection.catalog?.zones()) ?? [];
      const regions = Object.entries(provider.regions ?? {});
      for (const [region, zone] of regions) expect(zones).toContainEqual(expect.objectContaining({ name: zone, region }));
      const usual = (await connection.servers.read('web-1', { scope }))?.zone;
      const plan = provider.sizes.small;
      const sold = (await connection.catalog?.plans())?.find(({ name }) => name === plan.name)?.zones ?? {};
      const others = regions.map(([, one]) => one).filter((one) => one !== usual && one in sold);
      // A run with a cost limit refuses servers without a known price.
      const zone = others.find((one) => sold[one] !== null) ?? others[0] ?? usual;
      await connection.networks.create({ name: 'far', zone }, context());
      const found = await extra({ zone, network: 'far' });
      expect(found.zone).toBe(zone);
      expect(connection.servers.diff(wanted({ name: 'extra-1', volumes: [], zone, network: 'far' }), found)).toEqual({
        action: 'noop',
      });
      await remove('extra-1');
      await connection.networks.delete('far', { scope });
    },
  },
  {
    kind: 'zone',
    title: 'that is not there is refused, and nothing is made',
    offered: sells,
    async run(stage) {
      await expect(stage.extra({ zone: 'no-such-zone-1' })).rejects.toMatchObject(user('unknown-zone'));
      expect(await ownedBy(stage)).not.toContain('server extra-1');
    },
  },
  {
    kind: 'price',
    title: 'is above nothing and in a currency, or unknown; never 0',
    offered: sells,
    async run({ connection, provider }) {
      const plans = (await connection.catalog?.plans()) ?? [];
      const volumes = (await connection.catalog?.volumePrices?.()) ?? {};
      const known = [...plans.flatMap(({ zones }) => Object.values(zones)), ...Object.values(volumes)].flatMap(
        (price) => price ?? [],
      );
      for (const { currency, hourly, monthly } of known) {
        expect(currency).toMatch(/^[A-Z]{3}$/);
        expect(hourly).toBeGreaterThan(0);
        expect(monthly ?? 1).toBeGreaterThan(0);
      }
      const small = plans.find(({ name }) => name === provider.sizes.small.name);
      expect(Object.values(small?.zones ?? {}).some((price) => price !== null)).toBe(true);
    },
  },
  {
    kind: 'quota',
    title: 'and abilities of the account are said, without a credential',
    offered: sells,
    async run({ connection }) {
      const report = await connection.catalog?.check();
      expect(report?.identity).toMatch(/\S/);
      expect(report?.abilities.length).toBeGreaterThan(0);
      for (const { what, used = 0, limit = 0 } of report?.limits ?? []) {
        expect(what).toMatch(/\S/);
        expect(Math.min(used, limit)).toBeGreaterThanOrEqual(0);
      }
    },
  },
  {
    kind: 'quota',
    title: 'that is used up is named, is not retried, and leaves nothing behind',
    offered: ({ subject }) => subject.fill !== undefined,
    async run(stage) {
      const { subject, provider, extra, remove } = stage;
      const { features = [] } = provider;
      const before = await ownedBy(stage);
      // All resources that are created before the server itself.
      const everything = {
        volumes: [{ name: 'data', sizeGiB: 10, mount: '/srv/data' }],
        ...(features.includes('firewall') ? { firewall: [{ protocol: 'tcp' as const, ports: '80', from: ['0.0.0.0/0'] }] } : {}),
        ...(features.includes('placement') ? { placement: 'refused' } : {}),
        ...(features.includes('address') ? { address: 'reserved' as const } : {}),
      };
      await subject.fill?.(true);
      try {
        await expect(extra(everything)).rejects.toMatchObject(user('quota-exceeded'));
        expect(await ownedBy(stage)).toEqual(before);
      } finally {
        await subject.fill?.(false);
      }
      await extra(everything);
      await remove('extra-1');
      expect(await ownedBy(stage)).toEqual(before);
    },
  },
  {
    kind: 'adoption',
    title: 'of a server that was made elsewhere makes it ours, and no other',
    offered: ({ connection, subject }) => connection.adopt !== undefined && subject.makeStranger !== undefined,
    async run({ connection, subject, scope, stranger, context, remove }) {
      const { adopt, strangers, servers } = connection;
      if (!adopt || !strangers || !subject.makeStranger) return;
      const id = await subject.makeStranger('theirs-1');
      const theirs = (await strangers()).find((one) => one.id === id);
      expect(theirs?.name).toBe('theirs-1');
      expect(theirs?.scope).toBeUndefined();
      expect((await servers.list({ scope })).map((one) => one.id)).not.toContain(id);

      const adopted = await adopt(id, 'adopted-1', context('operation/adopt/1'));
      expect([adopted.id, adopted.name]).toEqual([id, 'adopted-1']);
      expect((await adopt(id, 'adopted-1', context('operation/adopt/1'))).id).toBe(id);
      expect((await servers.read('adopted-1', { scope }))?.id).toBe(id);
      expect((await strangers()).find((one) => one.id === id)?.scope).toMatchObject(scope);
      await expect(adopt(id, 'adopted-1', context('k', stranger))).rejects.toMatchObject(FOREIGN);
      await remove('adopted-1');
      expect((await strangers()).map((one) => one.id)).not.toContain(id);
      await expect(adopt(id, 'adopted-2', context('k2'))).rejects.toMatchObject(user('server-gone'));
    },
  },
];
