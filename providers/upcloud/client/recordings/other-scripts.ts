import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { isNotFound } from '../index.js';
import { createWantedServer, hardStop, NO_PAUSE, type Script, startWantedServer, testStorage } from './parts.js';

const byColour = (value: string) => ({ labels: [{ key: 'color', value }] });

export const otherScripts: Record<string, Script> = {
  async createmodifydeletestorage(client) {
    const { uuid, size, backup_rule } = await client.storages.create(testStorage);
    deepStrictEqual([size, backup_rule], [10, testStorage.backup_rule]);
    await client.storages.modify(uuid, { title: 'New fancy title' });
    await client.storages.delete(uuid);
  },

  async clonestorage(client) {
    const { uuid } = await client.storages.create(testStorage);
    const clone = await client.storages.clone(uuid, { title: 'Cloned storage', zone: 'fi-hel2', tier: 'maxiops' });
    deepStrictEqual([clone.state, clone.progress], ['maintenance', 0]);
    strictEqual((await client.storages.waitOnline(clone.uuid, NO_PAUSE)).state, 'online');
  },

  async storageimport(client) {
    const { uuid } = await client.storages.create({ size: 10, tier: 'maxiops', title: 'Alpine Linux (test)', zone: 'fi-hel2' });
    await client.storages.import(uuid, 'http://dl-cdn.alpinelinux.org/alpine/v3.12/releases/x86/alpine-standard-3.12.0-x86.iso');
    strictEqual((await client.storages.readImport(uuid)).state, 'completed');
  },

  async storagelabels(client) {
    const green = await client.storages.create({ ...testStorage, ...byColour('green') });
    const red = await client.storages.create({ ...testStorage, ...byColour('red') });
    const found = async (filter: Parameters<typeof client.storages.list>[0]) =>
      (await client.storages.list(filter)).map(({ uuid }) => uuid);
    strictEqual((await found({ labels: ['color'] })).length, 2);
    deepStrictEqual(await found(byColour('green')), [green.uuid]);
    deepStrictEqual(await found(byColour('red')), [red.uuid]);
    await client.storages.modify(red.uuid, byColour('purple'));
    deepStrictEqual(await found(byColour('red')), []);
    deepStrictEqual(await found(byColour('purple')), [red.uuid]);
    await client.storages.modify(green.uuid, { labels: [] });
    deepStrictEqual(await found({ labels: ['color'] }), [red.uuid]);
    await client.storages.delete(green.uuid);
    await client.storages.delete(red.uuid);
  },

  async templatizeserverstorage(client) {
    const { uuid } = await startWantedServer(client, createWantedServer('TestTemplatizeServerStorage'));
    await client.servers.stop(uuid, hardStop);
    const { storage_devices } = await client.servers.read(uuid);
    const template = await client.storages.templatize(storage_devices[0]?.storage ?? '', 'Templatized storage');
    const online = await client.storages.waitOnline(template.uuid, NO_PAUSE);
    deepStrictEqual([online.type, online.state], ['template', 'online']);
  },

  async getplans(client) {
    const plan = (await client.offer.plans()).find(({ name }) => name === '2xCPU-4GB');
    deepStrictEqual([plan?.core_number, plan?.memory_amount], [2, 4096]);
  },

  async getzones(client) {
    const zones = await client.offer.zones();
    deepStrictEqual(
      zones.filter((zone) => !zone.public).map(({ id }) => id),
      ['uk-tst1'],
    );
  },

  async getpricezones(client) {
    const zone = (await client.offer.prices()).find(({ name }) => name === 'de-fra1');
    deepStrictEqual(zone?.items['server_plan_1xCPU-1GB'], { amount: 1, price: 0.744 });
  },

  async getserverconfigurations(client) {
    const [smallest] = await client.offer.serverSizes();
    deepStrictEqual(smallest, { core_number: 1, memory_amount: 1024 });
  },

  async getmodifyhosts(client) {
    const [first] = await client.hosts.list();
    const { id, description } = await client.hosts.read(first?.id ?? 0);
    await client.hosts.describe(id, `${description}(modified)`);
    strictEqual((await client.hosts.describe(id, description)).description, description);
  },

  async createtag(client) {
    await rejects(client.tags.delete('testTag'), isNotFound);
    await client.tags.create({ name: 'testTag', servers: [] });
  },

  async gettags(client) {
    const names = [1, 2, 3].map((number) => `testgettags_tag${number}`);
    for (const name of names) await rejects(client.tags.delete(name), isNotFound);
    for (const name of names) await client.tags.create({ name, description: `${name} description`, servers: [] });
    const all = (await client.tags.list()).map(({ name }) => name);
    deepStrictEqual(all, [...names, 'testTag']);
    for (const name of all) await client.tags.delete(name);
  },

  async token(client) {
    const first = {
      name: 'my_1st_token',
      expires_at: '2025-12-01T00:00:00Z',
      can_create_tokens: true,
      allowed_ip_ranges: ['0.0.0.0/0', '::/0'],
    };
    const { id } = await client.tokens.create(first);
    await client.tokens.create({
      ...first,
      name: 'my_2nd_token',
      can_create_tokens: false,
      allowed_ip_ranges: ['0.0.0.0/1', '::/0'],
    });
    strictEqual((await client.tokens.read(id)).token, undefined);
    strictEqual(
      (await client.tokens.list()).some((token) => token.id === id),
      true,
    );
    await client.tokens.delete((await client.tokens.create(first)).id);
  },
};
