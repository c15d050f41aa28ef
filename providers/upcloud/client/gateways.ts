import * as z from 'zod';
import { allPages, type LabelFilter, labelQuery, type Page } from './filters.js';
import { type CallOptions, type Http, segment } from './http.js';
import { type WaitOptions, waitUntil, waitUntilGone } from './wait.js';
import { plainLabels, plainLabelsToWrite } from './wire.js';

const gateway = z.looseObject({
  uuid: z.string(),
  name: z.string(),
  zone: z.string(),
  /** `nat`, `vpn`. */
  features: z.array(z.string()),
  routers: z.array(z.looseObject({ uuid: z.string() })),
  /** While it is `pending`, missing or only names: use `waitRunning`. */
  addresses: z.array(z.looseObject({ address: z.string().optional(), name: z.string().optional() })).optional(),
  configured_status: z.string(),
  /** `pending`, `running`, … */
  operational_state: z.string(),
  labels: plainLabels.optional(),
  plan: z.string().optional(),
});
export type Gateway = z.output<typeof gateway>;

/** Usable gateway, whose addresses are known. */
export type RunningGateway = { addresses: { address: string; name?: string }[] } & Gateway;

/** Reports whether a gateway runs. The state may be reported before the addresses. */
const isRunning = (seen: Gateway): seen is RunningGateway =>
  seen.operational_state === 'running' &&
  Boolean(seen.addresses?.length) &&
  seen.addresses?.every(({ address }) => address) === true;

const status = z.enum(['started', 'stopped']);

const gatewayCreate = z.strictObject({
  name: z.string(),
  zone: z.string(),
  features: z.array(z.string()),
  routers: z.array(z.strictObject({ uuid: z.string() })),
  configured_status: status,
  labels: plainLabelsToWrite.optional(),
  plan: z.string().optional(),
});
export type GatewayCreate = z.output<typeof gatewayCreate>;

const gatewayChange = gatewayCreate.pick({ name: true, configured_status: true, labels: true, plan: true }).partial();
export type GatewayModify = z.output<typeof gatewayChange>;

const at = (uuid: string) => `/gateway/${segment(uuid)}`;

/** Creates the calls for NAT gateways of private networks. */
export function createGatewayCalls(http: Http) {
  const read = (uuid: string, options?: CallOptions) => http.send('GET', at(uuid), { answer: gateway, options });
  return {
    read,
    list: ({ labels, page }: { labels?: readonly LabelFilter[]; page?: Page } = {}, options?: CallOptions) =>
      allPages(
        (query) => http.send('GET', '/gateway', { query: [...labelQuery(labels), ...query], answer: z.array(gateway), options }),
        page,
      ),
    create: (wanted: GatewayCreate, options?: CallOptions) =>
      http.send('POST', '/gateway', { body: z.encode(gatewayCreate, wanted), answer: gateway, options }),
    modify: (uuid: string, changes: GatewayModify, options?: CallOptions) =>
      http.send('PATCH', at(uuid), { body: z.encode(gatewayChange, changes), answer: gateway, options }),
    delete: (uuid: string, options?: CallOptions) => http.tell('DELETE', at(uuid), { options }),
    /** Polls until the gateway runs and all its addresses are known, which takes about four minutes. */
    waitRunning: (uuid: string, options?: WaitOptions) =>
      waitUntil(`gateway ${uuid} to run with its addresses`, () => read(uuid, options), isRunning, options),
    waitGone: (uuid: string, options?: WaitOptions) =>
      waitUntilGone(`the end of gateway ${uuid}`, () => read(uuid, options), options),
  };
}
