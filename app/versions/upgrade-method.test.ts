import { expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import type { Definition } from '../../core/definition/definition.js';
import type { HostStatus } from '../../core/operation/host-status.js';
import { registries } from '../../definition/registries/registries.js';
import { demoDefinition } from '../../test/support/definition.js';
import { failure } from '../../test/support/secret-client.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner, type Principal } from '../principal.js';

interface Spec {
  version: string;
  constraint?: string;
  module?: string;
}

/** A definition of servers that have the taskserv like this. */
function definitionWith(name: string, specs: Record<string, Spec>): Definition {
  const servers = Object.keys(specs).map((server) => ({ name: server }));
  const definition = demoDefinition('shop', { servers, taskservs: [{ name }] });
  for (const server of definition.servers)
    for (const spec of server.taskservs) if (spec.name === name) Object.assign(spec, specs[server.name]);
  return definition;
}

/** Creates a platform with one infra, whose hosts give these answers. It records the workflows that it starts. */
function platform(definition: object | undefined, hosts: HostStatus[], principal: Principal = createOwner('ann@desk')) {
  const inventory = { workspace: 'default', infra: 'shop', uuid: 'u', servers: {}, networks: {}, definition };
  const started: { id: string; request: unknown }[] = [];
  const workflow = {
    getHandle: () => ({ query: async () => inventory }),
    execute: async () => ({ hosts }),
    start: async (_: string, { workflowId, args }: { workflowId: string; args: unknown[] }) => {
      started.push({ id: workflowId, request: args[0] });
    },
  };
  const engine = { temporal: { workflow }, stores: {}, taskQueue: 'q' } as unknown as Engine;
  const dispatcher = createDispatcher({ engine, principal, checksAnswers: true });
  return { started, client: clientOver({ ...dispatcher, close: async () => {} }) };
}

const traefik = async (): Promise<string[]> => {
  const module = await (await registries()).taskservs.traefik?.load();
  return [...(module?.versions.supported ?? [])];
};
const runs = (server: string, installed: string, newer?: { package: string; from: string; to: string }): HostStatus => ({
  server,
  services: [{ taskserv: 'traefik', state: 'healthy', installed, ...(newer && { newer }) }],
});
const asked = { workspace: 'default', infra: 'shop', taskserv: 'traefik', withinMs: 5_000 };
const versionsIn = ({ definition }: { definition?: Definition | undefined }) =>
  definition?.servers.map(({ taskservs: [spec] }) => [spec?.version, spec?.constraint]);

test('the request of an upgrade has the version on the servers that are named, and on no others', async () => {
  const [newest = '', older = ''] = await traefik();
  const stored = definitionWith('traefik', { a: { version: older }, b: { version: older }, c: { version: older } });
  const { client, started } = platform(stored, [runs('a', older), runs('b', older), runs('c', newest)]);
  const one = await client.taskservs.upgrade({ ...asked, to: newest, servers: ['a'] });
  expect(one).toMatchObject({ version: newest, services: [{ server: 'a', from: older, to: newest }] });
  expect(one.request).toMatchObject({ kind: 'taskserv', infra: 'shop', intent: { verb: 'ensure', servers: ['a'] } });
  expect(versionsIn(one.request)).toEqual([
    [newest, undefined],
    [older, undefined],
    [older, undefined],
  ]);
  const all = await client.taskservs.upgrade({ ...asked, within: 'major' });
  expect(all.services).toEqual([
    { server: 'a', from: older, to: newest },
    { server: 'b', from: older, to: newest },
    { server: 'c', from: newest },
  ]);
  expect([all.version, all.operation, started]).toEqual([newest, undefined, []]);
});

test('with `preview` the preview of this very request starts', async () => {
  const [newest = '', older = ''] = await traefik();
  const { client, started } = platform(definitionWith('traefik', { a: { version: older } }), [runs('a', older)]);
  const { request, operation } = await client.taskservs.upgrade({ ...asked, to: newest, preview: true });
  expect(operation).toBe(request.id.replace('taskserv-ensure-', 'taskserv-check-'));
  expect(started).toMatchObject([{ id: operation, request: { ...request, id: operation, check: true, actor: 'ann@desk' } }]);
});

test('a constraint stays if the version fits it, and is replaced otherwise; an asked definition goes before the stored one', async () => {
  const [newest = '', older = ''] = await traefik();
  const stored = definitionWith('traefik', { a: { version: older }, b: { version: older } });
  const { client } = platform(stored, [runs('a', older), runs('b', older)]);
  const definition = definitionWith('traefik', {
    a: { version: older, constraint: '>=1' },
    b: { version: older, constraint: `=${older}` },
  });
  const { request } = await client.taskservs.upgrade({ ...asked, to: newest, definition });
  expect(versionsIn(request)).toEqual([
    [newest, '>=1'],
    [newest, undefined],
  ]);
});

test('without a version packages alone are upgraded, and what is up to date stays', async () => {
  const [newest = ''] = await traefik();
  const stored = definitionWith('traefik', { a: { version: newest }, b: { version: newest } });
  const newer = { package: 'traefik', from: '1-1', to: '1-2' };
  const { client } = platform(stored, [runs('a', newest, newer), runs('b', newest)]);
  const { request, version, services } = await client.taskservs.upgrade(asked);
  expect([version, services]).toEqual([
    undefined,
    [
      { server: 'a', from: newest, to: '1-2' },
      { server: 'b', from: newest },
    ],
  ]);
  expect(request.definition?.servers.map(({ taskservs: [spec] }) => spec?.upgrade)).toEqual([newer, undefined]);
});

test('a version that is not supported, older, of no known server or of a silent host is refused', async () => {
  const [newest = '', older = ''] = await traefik();
  const stored = definitionWith('traefik', { a: { version: newest } });
  const { client } = platform(stored, [runs('a', newest)]);
  for (const [code, more] of [
    ['version-unsupported', { to: '0.0.1' }],
    ['version-older', { to: older }],
    ['unknown-server', { servers: ['z'] }],
    ['not-installed', { taskserv: 'vault', within: 'major' }],
  ] as const)
    await expect(client.taskservs.upgrade({ ...asked, ...more } as typeof asked), code).rejects.toMatchObject(failure(code));
  const silent = platform(stored, [{ server: 'a', why: 'no answer' }]).client;
  await expect(silent.taskservs.upgrade(asked)).rejects.toMatchObject(failure('host-unreachable'));
  await expect(platform(undefined, []).client.taskservs.upgrade(asked)).rejects.toMatchObject(failure('no-definition'));
});

test('who may only preview learns nothing of the definition', async () => {
  const may: Principal['may'] = (action) => action === 'operation:preview';
  const { client } = platform(definitionWith('traefik', { a: { version: '1' } }), [], { actor: 'eve@desk', may });
  await expect(client.taskservs.upgrade(asked)).rejects.toMatchObject(failure('forbidden'));
});
