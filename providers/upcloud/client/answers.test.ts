import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { InspectedAnswer, UpCloudClient } from './index.js';
import { labelsOf, recordOf } from './index.js';
import { recordingsFolder } from './recordings/replay.js';
import { useTestServer } from './test-server.js';
import { createListSchema, numeric, numericOrEmpty, onOff, yesNo } from './wire.js';

describe('how the API writes things', () => {
  it.each([
    [numeric, '1024', 1024],
    [numericOrEmpty, '', null],
    [numericOrEmpty, '80', 80],
    [yesNo, 'yes', true],
    [yesNo, 'no', false],
    [onOff, 'on', true],
  ])('%# is read and written', (codec, wire, value) => {
    expect(z.decode(codec as z.ZodType, wire)).toBe(value);
    expect(z.encode(codec as z.ZodType, value)).toBe(wire);
  });

  it.each(['a lot', '', '1 GiB'])('does not take %j for a number', (text) => {
    expect(z.safeDecode(numeric, text).success).toBe(false);
  });

  it('keeps what stands beside the list of an envelope', () => {
    const tags = createListSchema('tag', z.looseObject({ name: z.string() }));
    const wire = { tag: [{ name: 'a', colour: 'red' }], total: 1 };
    const read = z.decode(tags as z.ZodType<{ name: string }[]>, wire);
    expect(read).toEqual([{ name: 'a', colour: 'red' }]);
    expect(z.encode(tags, read)).toStrictEqual(wire);
  });

  it('reads an envelope without a list as an empty one', () => {
    expect(z.decode(createListSchema('tag', z.string()), {})).toEqual([]);
  });

  it('turns labels into records and back', () => {
    expect(recordOf(labelsOf({ role: 'web', empty: '' }))).toEqual({ role: 'web', empty: '' });
  });
});

/** Documented answers from the tests of UpCloud's Python SDK: older, with other fields. */
const documented: [string, (client: UpCloudClient) => Promise<unknown>][] = [
  ['plan', (client) => client.offer.plans()],
  ['price', (client) => client.offer.prices()],
  ['zone', (client) => client.offer.zones()],
  ['server', (client) => client.servers.list()],
  ['server_create', (client) => client.servers.read('uuid')],
  ['storage_template', (client) => client.storages.list({ kind: 'template' })],
  ['storage_public', (client) => client.storages.list({ kind: 'public' })],
  ['storage_post', (client) => client.storages.read('uuid')],
  ['network_post', (client) => client.networks.read('uuid')],
  ['router_post', (client) => client.routers.read('uuid')],
  ['ip_address_post', (client) => client.ipAddresses.read('10.1.0.101')],
  ['firewall_rule', (client) => client.firewallRules.read('uuid', 1)],
  ['server-group_post', (client) => client.serverGroups.read('uuid')],
];
const folder = resolve(recordingsFolder, '../upcloud-python-json');

describe.skipIf(!existsSync(folder))('documented answers', () => {
  it.each(documented)('%s is read without loss', async (name, call) => {
    const json = JSON.parse(readFileSync(resolve(folder, `${name}.json`), 'utf8'));
    const answers: InspectedAnswer[] = [];
    await useTestServer(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json)),
      call,
      { inspect: (answer) => answers.push(answer) },
    );
    expect(answers[0]?.written()).toStrictEqual(json);
  });
});
