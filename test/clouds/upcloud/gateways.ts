import { bears, type Gateway, newUuid } from './account.js';
import { Refusal } from './answers.js';
import { assertZone } from './catalog.js';
import { existing, labelsOf, type Routes, textOf } from './world.js';

const NAME = 'public-ip-1';
const now = () => new Date().toISOString();

/** Formats a gateway. During its creation it has an address name but no address. */
const oneGateway = (
  gateway: Gateway,
  addresses: unknown[] = [{ ...(gateway.address && { address: gateway.address }), name: NAME }],
) => ({
  addresses,
  configured_status: gateway.status,
  created_at: gateway.created,
  features: gateway.features,
  labels: gateway.labels,
  name: gateway.name,
  operational_state: gateway.goneAt ? 'delete-service' : gateway.readyAt ? 'pending' : 'running',
  routers: gateway.routers.map((uuid) => ({ created_at: gateway.created, uuid })),
  updated_at: gateway.updated,
  uuid: gateway.uuid,
  zone: gateway.zone,
});

export const gatewayRoutes: Routes = {
  'GET /1.3/gateway': ({ account }, { query }) => {
    const from = Number(query.get('offset') ?? 0);
    const all = [...account.gateways.values()].filter(({ labels }) => bears(labels, query));
    return { status: 200, body: all.slice(from, from + Number(query.get('limit') ?? 10)).map((one) => oneGateway(one)) };
  },

  'POST /1.3/gateway': ({ account, delays }, { body }) => {
    const zone = textOf(body.zone);
    assertZone(zone);
    if (textOf(body.name) === '') throw new Refusal(400, 'INVALID_REQUEST', 'The name is missing.');
    const routers = (body.routers as { uuid: string }[]).map(({ uuid }) => existing(account.routers, uuid, 'router').uuid);
    const created = now();
    const gateway: Gateway = {
      uuid: newUuid('gateway'),
      name: textOf(body.name),
      zone,
      features: body.features as string[],
      routers,
      status: textOf(body.configured_status),
      labels: labelsOf((body.labels ?? []) as Record<string, unknown>[]),
      created,
      updated: created,
      readyAt: Date.now() + delays.gateway,
    };
    account.gateways.set(gateway.uuid, gateway);
    return { status: 201, body: oneGateway(gateway, []) };
  },

  'GET /1.3/gateway/{}': ({ account }, { ids }) => ({
    status: 200,
    body: oneGateway(existing(account.gateways, ids[0], 'gateway')),
  }),

  'PATCH /1.3/gateway/{}': ({ account, delays }, { ids, body }) => {
    const gateway = existing(account.gateways, ids[0], 'gateway');
    if (body.name !== undefined) gateway.name = textOf(body.name);
    if (body.configured_status !== undefined) gateway.status = textOf(body.configured_status);
    if (body.labels !== undefined) gateway.labels = labelsOf(body.labels as Record<string, unknown>[]);
    Object.assign(gateway, { updated: now(), readyAt: Date.now() + delays.gateway });
    return { status: 200, body: oneGateway(gateway) };
  },

  'DELETE /1.3/gateway/{}': ({ account, delays }, { ids }) => {
    existing(account.gateways, ids[0], 'gateway').goneAt = Date.now() + delays.gateway;
    return { status: 204 };
  },
};
