import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { topologiesFor } from '../../authoring/test-environments/topology.js';
import { clientOver } from '../../client/client.js';
import { packageRoot } from '../../definition/source/package-root.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner, type Principal } from '../principal.js';

/** Creates a client. Answers are validated by their schemas. */
function clientOf(principal: Principal = createOwner('ann@desk')) {
  const dispatcher = createDispatcher({ engine: { stores: {} } as unknown as Engine, principal, checksAnswers: true });
  return clientOver({ ...dispatcher, close: async () => {} });
}

test('topologies are listed as `test topology list` lists the built-in ones', async () => {
  const builtIn = (await topologiesFor({ folder: undefined })).map(({ name, description, unavailable }) => ({
    ...{ name, description, ...(unavailable !== undefined && { unavailable }) },
  }));
  const { topologies } = clientOf();
  expect(builtIn.length).toBeGreaterThan(1);
  expect(builtIn.map(({ name }) => name)).toEqual(
    readdirSync(join(packageRoot(), 'topologies')).map((file) => file.replace('.yaml', '')),
  );
  expect(await topologies.list({})).toEqual(builtIn);
  expect(await topologies.list({ filter: { name: 'etcd' }, limit: 1 })).toEqual([builtIn.find(({ name }) => /etcd/.test(name))]);
});

test('each topology is returned with its file', async () => {
  const { topologies } = clientOf();
  for (const listed of await topologies.list({})) {
    const text = readFileSync(join(packageRoot(), 'topologies', `${listed.name}.yaml`), 'utf8');
    expect(await topologies.get({ topology: listed.name })).toEqual({ ...listed, document: parse(text), text });
  }
});

test('each template is returned with its file', async () => {
  const { templates } = clientOf();
  const all = await templates.list({});
  expect(all.map(({ name }) => name)).toEqual(readdirSync(join(packageRoot(), 'clusters')));
  for (const listed of all) {
    const text = readFileSync(join(packageRoot(), 'clusters', listed.name, 'cluster.yaml'), 'utf8');
    const { document, ...rest } = await templates.get({ template: listed.name });
    expect(rest).toEqual({ ...listed, text });
    expect(Object.keys(document)).toEqual(Object.keys(parse(text)));
    expect(document.description).toBe(listed.description);
  }
});

test.each(['etcd-clustre', '../package', 'constructor'])('"%s" is neither a topology nor a template', async (name) => {
  const { topologies, templates } = clientOf();
  await expect(topologies.get({ topology: name })).rejects.toMatchObject({ details: { code: 'unknown-topology' } });
  await expect(templates.get({ template: name })).rejects.toMatchObject({ details: { code: 'unknown-template' } });
});

test('a name that is nearly right is told the right one', async () => {
  const { topologies, templates } = clientOf();
  const hint = (text: string) => ({ details: { hint: expect.stringContaining(text) } });
  await expect(topologies.get({ topology: 'etcd-clustre' })).rejects.toMatchObject(hint('etcd_cluster'));
  await expect(templates.get({ template: 'wbe' })).rejects.toMatchObject(hint('web'));
});

test('each of them needs the permission to read the catalog', async () => {
  const asked: unknown[] = [];
  const may: Principal['may'] = (action, { type, id }) => asked.push([action, type, id]) < 0;
  const { topologies, templates } = clientOf({ actor: 'eve@desk', owner: true, may });
  const calls = [
    () => topologies.list({}),
    () => topologies.get({ topology: 'etcd_cluster' }),
    () => templates.get({ template: 'web' }),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ details: { code: 'forbidden' } });
  expect(asked).toEqual(calls.map(() => ['catalog:read', 'Template', '*']));
});
