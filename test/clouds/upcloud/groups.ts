import { type Account, bears, type Group, newUuid } from './account.js';
import { Refusal } from './answers.js';
import { existing, itemsOf, labelsOf, type Routes, textOf } from './world.js';

const oneGroup = (group: Group) => ({
  anti_affinity: group.affinity,
  anti_affinity_status: group.servers.map((uuid) => ({ status: 'met', uuid })),
  labels: { label: group.labels },
  servers: { server: group.servers },
  title: group.title,
  uuid: group.uuid,
});

/** Puts a server on a host without other members of its group, as strict anti-affinity demands. */
export function joinGroup(account: Account, group: Group, server: { uuid: string; host: number }): void {
  const hosts = new Set(group.servers.map((uuid) => account.servers.get(uuid)?.host));
  while (group.affinity === 'strict' && hosts.has(server.host)) server.host++;
  group.servers.push(server.uuid);
}

/** A recorded list has plain UUIDs, with the envelope `server`. */
const serversIn = (value: unknown): string[] => itemsOf(value, 'server').map(textOf);

export const groupRoutes: Routes = {
  'GET /1.3/server-group': ({ account }, { query }) => ({
    status: 200,
    body: {
      server_groups: { server_group: [...account.groups.values()].filter(({ labels }) => bears(labels, query)).map(oneGroup) },
    },
  }),

  'POST /1.3/server-group': ({ account, quota }, { body }) => {
    if (quota) throw new Refusal(403, 'INSUFFICIENT_CREDITS', 'The account has too few credits.');
    const title = textOf(body.title);
    if (title === '') throw new Refusal(400, 'TITLE_MISSING', 'The required attribute title is missing from the request.');
    const group: Group = {
      uuid: newUuid('group'),
      title,
      affinity: body.anti_affinity === 'strict' || body.anti_affinity === 'yes' ? body.anti_affinity : 'no',
      servers: serversIn(body.servers),
      labels: labelsOf(itemsOf(body.labels, 'label')),
    };
    account.groups.set(group.uuid, group);
    return { status: 200, body: { server_group: oneGroup(group) } };
  },

  'GET /1.3/server-group/{}': ({ account }, { ids }) => ({
    status: 200,
    body: { server_group: oneGroup(existing(account.groups, ids[0], 'group')) },
  }),

  'PATCH /1.3/server-group/{}': ({ account }, { ids, body }) => {
    const group = existing(account.groups, ids[0], 'group');
    if (body.title !== undefined) group.title = textOf(body.title);
    if (body.servers !== undefined) group.servers = serversIn(body.servers);
    if (body.labels !== undefined) group.labels = labelsOf(itemsOf(body.labels, 'label'));
    return { status: 200, body: { server_group: oneGroup(group) } };
  },

  'DELETE /1.3/server-group/{}': ({ account }, { ids }) => {
    const group = existing(account.groups, ids[0], 'group');
    account.groups.delete(group.uuid);
    for (const server of account.servers.values()) if (server.group === group.uuid) server.group = undefined;
    return { status: 204 };
  },
};
