import * as z from 'zod';
import { type CallOptions, type Http, segment } from './http.js';
import { createListSchema, envelope } from './wire.js';

const tag = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  servers: createListSchema('server', z.string()),
});
export type Tag = z.output<typeof tag>;

/** Names that differ only in case are the same tag. */
const tagName = z.string().regex(/^[A-Za-z0-9_]{1,32}$/, 'a tag has 1 to 32 letters, digits and underscores');
const tagNames = z.array(tagName).min(1, 'name at least one tag');

const tagToWrite = z.strictObject({
  name: tagName,
  description: z.string().max(255).optional(),
  /** UUIDs. */
  servers: createListSchema('server', z.string()),
});
export type TagCreate = z.output<typeof tagToWrite>;

const tagChange = tagToWrite.partial();
export type TagModify = z.output<typeof tagChange>;

const one = envelope('tag', tag);
const at = (name: string) => `/tag/${segment(name)}`;

/** Returns tags for a path: `web,DEV`. Throws zod's error for an invalid name. */
export const tagList = (names: readonly string[]): string => tagNames.parse(names).join(',');

/** Creates the calls for tags, the older way to mark servers and to limit sub-accounts. Labels are newer. */
export function createTagCalls(http: Http) {
  return {
    async list(options?: CallOptions) {
      return (await http.send('GET', '/tag', { answer: envelope('tags', createListSchema('tag', tag)), options })).tags;
    },

    async read(name: string, options?: CallOptions) {
      return (await http.send('GET', at(name), { answer: one, options })).tag;
    },

    async create(wanted: TagCreate, options?: CallOptions) {
      return (await http.send('POST', '/tag', { body: { tag: z.encode(tagToWrite, wanted) }, answer: one, options })).tag;
    },

    /** Changes name and description; `servers` is the complete list of its servers. */
    async modify(name: string, changes: TagModify, options?: CallOptions) {
      return (await http.send('PUT', at(name), { body: { tag: z.encode(tagChange, changes) }, answer: one, options })).tag;
    },

    /** Deletes a tag, and removes it from all servers. */
    delete: (name: string, options?: CallOptions) => http.tell('DELETE', at(name), { options }),
  };
}
