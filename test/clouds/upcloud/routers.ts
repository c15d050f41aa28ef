import { type Account, bears, newUuid, type Router } from './account.js';
import { Refusal } from './answers.js';
import { existing, labelsOf, type Routes, textOf } from './world.js';

const networksOn = ({ networks }: Account, { uuid }: Router) =>
  [...networks.values()].filter(({ router }) => router === uuid).map((network) => ({ uuid: network.uuid }));

const oneRouter = (account: Account, router: Router) => ({
  attached_networks: { network: networksOn(account, router) },
  labels: router.labels,
  name: router.name,
  static_routes: router.staticRoutes,
  type: 'normal',
  uuid: router.uuid,
});

function nameOf(wanted: unknown): string {
  const name = textOf(wanted);
  if (name === '') throw new Refusal(400, 'ROUTER_NAME_MISSING', 'The required attribute name is missing from the request.');
  return name;
}

export const routerRoutes: Routes = {
  'GET /1.3/router': ({ account }, { query }) => ({
    status: 200,
    body: {
      routers: {
        router: [...account.routers.values()]
          .filter(({ labels }) => bears(labels, query))
          .map((router) => oneRouter(account, router)),
      },
    },
  }),

  'POST /1.3/router': ({ account }, { body }) => {
    const router: Router = {
      uuid: newUuid('router'),
      name: nameOf(body.name),
      labels: labelsOf((body.labels ?? []) as Record<string, unknown>[]),
      staticRoutes: (body.static_routes ?? []) as unknown[],
    };
    account.routers.set(router.uuid, router);
    return { status: 201, body: { router: oneRouter(account, router) } };
  },

  'GET /1.3/router/{}': ({ account }, { ids }) => ({
    status: 200,
    body: { router: oneRouter(account, existing(account.routers, ids[0], 'router')) },
  }),

  'PATCH /1.3/router/{}': ({ account }, { ids, body }) => {
    const router = existing(account.routers, ids[0], 'router');
    if (body.name !== undefined) router.name = nameOf(body.name);
    if (body.labels !== undefined) router.labels = labelsOf(body.labels as Record<string, unknown>[]);
    if (body.static_routes !== undefined) router.staticRoutes = body.static_routes as unknown[];
    return { status: 200, body: { router: oneRouter(account, router) } };
  },

  'DELETE /1.3/router/{}': ({ account }, { ids }) => {
    const router = existing(account.routers, ids[0], 'router');
    const used = [...account.gateways.values()].some(({ routers }) => routers.includes(router.uuid));
    if (used || networksOn(account, router).length > 0)
      throw new Refusal(409, 'ROUTER_ATTACHED', `The router ${router.uuid} is attached to a network or a gateway.`);
    account.routers.delete(router.uuid);
    return { status: 204 };
  },
};
