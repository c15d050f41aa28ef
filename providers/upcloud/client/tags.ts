import * as z from 'zod';
import { type CallOptions, type Http, segment } from './http.js';
import { envelope, listOf } from './wire.js';

const tag = z.looseObject({ name: z.string(), description: z.string().optional(), servers: listOf('server', z.string()) });
const tagToWrite = z.strictObject({ name: z.string(), description: z.string().optional(), servers: listOf('server', z.string()) });
export type Tag = z.output<typeof tag>;

/** The older way to mark servers; labels are the newer. */
export function tagsOf(http: Http) {
  return {
    async list(options?: CallOptions) {
      return (await http.send('GET', '/tag', { answer: envelope('tags', listOf('tag', tag)), options })).tags;
    },

    async create(wanted: z.output<typeof tagToWrite>, options?: CallOptions) {
      const body = { tag: z.encode(tagToWrite, wanted) };
      return (await http.send('POST', '/tag', { body, answer: envelope('tag', tag), options })).tag;
    },

    delete: (name: string, options?: CallOptions) => http.tell('DELETE', `/tag/${segment(name)}`, { options }),
  };
}
