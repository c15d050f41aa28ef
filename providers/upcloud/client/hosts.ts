import * as z from 'zod';
import type { CallOptions, Http } from './http.js';
import { createListSchema, envelope, yesNo } from './wire.js';

const host = z.looseObject({
  id: z.number(),
  description: z.string(),
  zone: z.string(),
  windows_enabled: yesNo.optional(),
  stats: createListSchema('stat', z.looseObject({ name: z.string(), timestamp: z.string(), value: z.number() })).optional(),
});
export type Host = z.output<typeof host>;

const one = envelope('host', host);

/** Creates the calls for physical machines of private clouds, which `avoidHost` and `host` of a start refer to. */
export function createHostCalls(http: Http) {
  return {
    async list(options?: CallOptions) {
      return (await http.send('GET', '/host', { answer: envelope('hosts', createListSchema('host', host)), options })).hosts;
    },

    async read(id: number, options?: CallOptions) {
      return (await http.send('GET', `/host/${id}`, { answer: one, options })).host;
    },

    async describe(id: number, description: string, options?: CallOptions) {
      return (await http.send('PATCH', `/host/${id}`, { body: { host: { description } }, answer: one, options })).host;
    },
  };
}
