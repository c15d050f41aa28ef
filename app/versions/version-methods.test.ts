import { expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import type { HostStatus } from '../../core/operation/host-status.js';
import { registries } from '../../definition/registries/registries.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner } from '../principal.js';
import { readKnownVersions } from './known-versions.js';

/** Creates a platform with one infra, whose hosts are in this state. */
function platformOf(hosts: HostStatus[], taskservs: Record<string, string>) {
  const specs = Object.entries(taskservs).map(([name, version]) => ({ name, version, config: {}, endpoints: [], after: [] }));
  const definition = { servers: hosts.map(({ server }) => ({ name: server, taskservs: specs })) };
  const requests: unknown[] = [];
  const workflow = {
    getHandle: () => ({
      query: async () => ({ workspace: 'default', infra: 'shop', uuid: 'u', servers: {}, networks: {}, definition }),
    }),
    execute: async (_: string, { args }: { args: [object] }) => {
      requests.push(args[0]);
      return { hosts };
    },
  };
  const engine = { temporal: { workflow }, stores: {}, taskQueue: 'q' } as unknown as Engine;
  const dispatcher = createDispatcher({ engine, principal: createOwner('ann@desk'), checksAnswers: true });
  return { requests, client: clientOver({ ...dispatcher, close: async () => {} }) };
}

const asked = { workspace: 'default', infra: 'shop', withinMs: 5_000 };

test('outdated services are those with a newer version, and those whose host did not answer', async () => {
  const { taskservs } = await registries();
  const known = await readKnownVersions(taskservs, ['traefik', 'vault']);
  const [newest = '', older = ''] = (known.traefik?.versions ?? []).map(({ version }) => version);
  const current = known.vault?.versions[0]?.version ?? '';
  expect([older, current]).not.toContain('');
  const seen = (traefik: string): HostStatus['services'] => [
    { taskserv: 'traefik', state: 'healthy', installed: traefik },
    { taskserv: 'vault', state: 'healthy', installed: current },
  ];
  const { client, requests } = platformOf(
    [
      { server: 'a', services: seen(newest) },
      { server: 'b', services: seen(older) },
      { server: 'c', why: 'no answer' },
    ],
    { traefik: newest, vault: current },
  );
  const rows = (services: { server: string; taskserv: string; why?: string }[]) =>
    services.map(({ server, taskserv, why }) => [server, taskserv, ...(why === undefined ? [] : [why])]);
  const versions = await client.taskservs.versions(asked);
  expect(versions).toHaveLength(6);
  const outdated = await client.taskservs.outdated(asked);
  expect(rows(outdated)).toEqual([
    ['b', 'traefik'],
    ['c', 'traefik', 'no answer'],
    ['c', 'vault', 'no answer'],
  ]);
  expect(versions).toEqual(expect.arrayContaining(outdated));
  expect(rows(await client.taskservs.outdated({ ...asked, taskserv: 'vault' }))).toEqual([['c', 'vault', 'no answer']]);
  expect(requests.at(-1)).toMatchObject({ actor: 'ann@desk', hosts: { withinMs: 5_000, taskservs: ['vault'] }, clouds: false });
});
