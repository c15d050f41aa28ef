import { type Account, type Server, type Tag, tagsOf } from './account.js';
import { detailedServer, Refusal } from './answers.js';
import { existing, itemsOf, type Routes, textOf } from './world.js';

const oneTag = ({ name, description, servers }: Tag) => ({ description, name, servers: { server: servers } });
const keyOf = (name: string): string => name.toLowerCase();

function tagNamed({ tags }: Account, name = ''): Tag {
  const found = tags.get(keyOf(name));
  if (!found) throw new Refusal(404, 'TAG_NOT_FOUND', `The tag ${name} does not exist.`);
  return found;
}

/** Returns a free name for a new or renamed tag. */
function freeName({ tags }: Account, wanted: unknown, own?: Tag): string {
  const name = textOf(wanted);
  if (!/^[A-Za-z0-9_]{1,32}$/.test(name)) throw new Refusal(400, 'TAG_INVALID', `The tag name ${name} is invalid.`);
  const holder = tags.get(keyOf(name));
  if (holder && holder !== own) throw new Refusal(409, 'TAG_EXISTS', `The tag ${holder.name} already exists.`);
  return name;
}

function descriptionOf(wanted: unknown): string {
  const description = textOf(wanted);
  if (description.length > 255) throw new Refusal(400, 'DESCRIPTION_INVALID', 'The description is too long.');
  return description;
}

const serversOf = ({ servers }: Account, wanted: unknown): string[] =>
  itemsOf(wanted, 'server').map((uuid) => existing(servers, textOf(uuid), 'server').uuid);

/**
 * Returns the server and the tags of a path such as `/server/{}/tag/web,DEV`. All must exist before any is added or
 * removed.
 */
function subjects(account: Account, [uuid, names = '']: string[]): { server: Server; tags: Tag[] } {
  const server = existing(account.servers, uuid, 'server');
  return { server, tags: names.split(',').map((name) => tagNamed(account, name)) };
}

export const tagRoutes: Routes = {
  'GET /1.3/tag': ({ account }) => ({ status: 200, body: { tags: { tag: tagsOf(account).map(oneTag) } } }),

  'GET /1.3/tag/{}': ({ account }, { ids }) => ({ status: 200, body: { tag: oneTag(tagNamed(account, ids[0])) } }),

  'POST /1.3/tag': ({ account }, { body }) => {
    const name = freeName(account, body.name);
    const tag: Tag = { name, description: descriptionOf(body.description), servers: serversOf(account, body.servers) };
    account.tags.set(keyOf(name), tag);
    return { status: 200, body: { tag: oneTag(tag) } };
  },

  'PUT /1.3/tag/{}': ({ account }, { ids, body }) => {
    const tag = tagNamed(account, ids[0]);
    const changed: Tag = {
      name: body.name === undefined ? tag.name : freeName(account, body.name, tag),
      description: body.description === undefined ? tag.description : descriptionOf(body.description),
      servers: body.servers === undefined ? tag.servers : serversOf(account, body.servers),
    };
    account.tags.delete(keyOf(tag.name));
    account.tags.set(keyOf(changed.name), changed);
    return { status: 200, body: { tag: oneTag(changed) } };
  },

  'DELETE /1.3/tag/{}': ({ account }, { ids }) => {
    account.tags.delete(keyOf(tagNamed(account, ids[0]).name));
    return { status: 204 };
  },

  'POST /1.3/server/{}/tag/{}': ({ account }, { ids }) => {
    const { server, tags } = subjects(account, ids);
    for (const tag of tags) if (!tag.servers.includes(server.uuid)) tag.servers.push(server.uuid);
    return { status: 200, body: { server: detailedServer(account, server) } };
  },

  'POST /1.3/server/{}/untag/{}': ({ account }, { ids }) => {
    const { server, tags } = subjects(account, ids);
    for (const tag of tags) tag.servers = tag.servers.filter((uuid) => uuid !== server.uuid);
    return { status: 200, body: { server: detailedServer(account, server) } };
  },
};
