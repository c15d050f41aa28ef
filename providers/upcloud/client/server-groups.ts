import * as z from 'zod';
import { type LabelFilter, labelQuery } from './filters.js';
import { type CallOptions, type Http, segment } from './http.js';
import { createListSchema, envelope, wrappedLabels, wrappedLabelsToWrite } from './wire.js';

const serverGroup = z.looseObject({
  uuid: z.string(),
  title: z.string(),
  /** `strict`: a server without its own physical machine does not start; `yes`: if possible; `no`. */
  anti_affinity: z.string(),
  anti_affinity_status: z.array(z.looseObject({ uuid: z.string(), status: z.string() })).optional(),
  labels: wrappedLabels.optional(),
  /** UUIDs. */
  servers: createListSchema('server', z.string()).optional(),
});
export type ServerGroup = z.output<typeof serverGroup>;

const serverGroupCreate = z.strictObject({
  title: z.string(),
  anti_affinity: z.enum(['strict', 'yes', 'no']).optional(),
  labels: wrappedLabelsToWrite.optional(),
  servers: createListSchema('server', z.string()).optional(),
});
export type ServerGroupCreate = z.output<typeof serverGroupCreate>;

const serverGroupChange = serverGroupCreate.partial();
/** `servers` is the complete list of members. */
export type ServerGroupModify = z.output<typeof serverGroupChange>;

const one = envelope('server_group', serverGroup);
const at = (uuid: string) => `/server-group/${segment(uuid)}`;

/** Creates the calls for groups of servers that must not share a physical machine. A server has at most one group. */
export function createServerGroupCalls(http: Http) {
  return {
    async list({ labels }: { labels?: readonly LabelFilter[] } = {}, options?: CallOptions) {
      const answer = envelope('server_groups', createListSchema('server_group', serverGroup));
      return (await http.send('GET', '/server-group', { query: labelQuery(labels), answer, options })).server_groups;
    },

    async read(uuid: string, options?: CallOptions) {
      return (await http.send('GET', at(uuid), { answer: one, options })).server_group;
    },

    async create(wanted: ServerGroupCreate, options?: CallOptions) {
      const body = { server_group: z.encode(serverGroupCreate, wanted) };
      return (await http.send('POST', '/server-group', { body, answer: one, options })).server_group;
    },

    async modify(uuid: string, changes: ServerGroupModify, options?: CallOptions) {
      const body = { server_group: z.encode(serverGroupChange, changes) };
      return (await http.send('PATCH', at(uuid), { body, answer: one, options })).server_group;
    },

    addServer: (uuid: string, server: string, options?: CallOptions) =>
      http.tell('POST', `${at(uuid)}/servers`, { body: { server: { uuid: server } }, options }),

    removeServer: (uuid: string, server: string, options?: CallOptions) =>
      http.tell('DELETE', `${at(uuid)}/servers/${segment(server)}`, { options }),

    delete: (uuid: string, options?: CallOptions) => http.tell('DELETE', at(uuid), { options }),
  };
}
