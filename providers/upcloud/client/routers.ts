import * as z from 'zod';
import { type LabelFilter, labelQuery } from './filters.js';
import { type CallOptions, type Http, segment } from './http.js';
import { createListSchema, envelope, plainLabels, plainLabelsToWrite } from './wire.js';

const route = { route: z.string(), nexthop: z.string(), name: z.string().optional() };

const router = z.looseObject({
  uuid: z.string(),
  name: z.string(),
  /** `normal`, or `service` for those of UpCloud. */
  type: z.string(),
  attached_networks: createListSchema('network', z.looseObject({ uuid: z.string() })).optional(),
  attached_network_gateways: z.array(z.unknown()).optional(),
  labels: plainLabels.optional(),
  static_routes: z.array(z.looseObject(route)).optional(),
});
export type Router = z.output<typeof router>;

const routerCreate = z.strictObject({
  name: z.string(),
  labels: plainLabelsToWrite.optional(),
  static_routes: z.array(z.strictObject(route)).optional(),
});
export type RouterCreate = z.output<typeof routerCreate>;

const routerChange = routerCreate.partial();
export type RouterModify = z.output<typeof routerChange>;

const one = envelope('router', router);
const at = (uuid: string) => `/router/${segment(uuid)}`;

export function createRouterCalls(http: Http) {
  return {
    async list({ labels }: { labels?: readonly LabelFilter[] } = {}, options?: CallOptions) {
      const answer = envelope('routers', createListSchema('router', router));
      return (await http.send('GET', '/router', { query: labelQuery(labels), answer, options })).routers;
    },

    async read(uuid: string, options?: CallOptions) {
      return (await http.send('GET', at(uuid), { answer: one, options })).router;
    },

    async create(wanted: RouterCreate, options?: CallOptions) {
      const body = { router: z.encode(routerCreate, wanted) };
      return (await http.send('POST', '/router', { body, answer: one, options })).router;
    },

    async modify(uuid: string, changes: RouterModify, options?: CallOptions) {
      const body = { router: z.encode(routerChange, changes) };
      return (await http.send('PATCH', at(uuid), { body, answer: one, options })).router;
    },

    /** Deletes a router without networks. */
    delete: (uuid: string, options?: CallOptions) => http.tell('DELETE', at(uuid), { options }),
  };
}
