import type { Definition } from '../../core/definition/definition.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { definitionOf, type Written } from '../support/definition.js';

/** Work of an operation during a fault, and the expected state afterwards. */
export interface Work {
  infra: string;
  /** Definition that is applied first, without faults. */
  before?: Definition;
  wish: Pick<OperationRequest, 'infra' | 'intent' | 'definition'>;
  /** The definition as a user writes it, for the command line. */
  file?: Written;
  /** Expected state after a good end. `undefined`: nothing at all. */
  wanted?: Definition;
}

const SMALL = (infra: string): Written => ({
  infra,
  provider: 'demo',
  servers: [{ name: 'web', count: 2, volumes: [{ name: 'data', size: '10 GiB', mount: '/data' }] }],
  taskservs: ['nginx', { name: 'node-exporter', on: { server: 'web-1' } }],
});

const LARGE = (infra: string): Written => ({
  infra,
  provider: 'demo',
  servers: [
    { name: 'web', count: 2, volumes: [{ name: 'data', size: '10 GiB', mount: '/data' }] },
    { name: 'db', volumes: [{ name: 'dump', size: '10 GiB', mount: '/dump' }] },
  ],
  taskservs: ['nginx', 'redis'],
});

const ENSURE = { verb: 'ensure', prune: true } as const;

/** A first deployment. */
export function makeAll(infra: string): Work {
  const file = LARGE(infra);
  const wanted = definitionOf(file);
  return { infra, file, wish: { infra, intent: ENSURE, definition: wanted }, wanted };
}

/** A change of existing resources: a server and a service are added, another service is removed. */
export const changeAll = (infra: string): Work => ({ ...makeAll(infra), before: definitionOf(SMALL(infra)) });

/** The deletion of everything. */
export const deleteAll = (infra: string): Work => ({
  infra,
  before: definitionOf(SMALL(infra)),
  wish: { infra, intent: { verb: 'delete' } },
});

/** Draws one of the three. */
export function anyWork(random: () => number, infra: string): Work {
  const draw = random();
  return draw < 0.4 ? makeAll(infra) : draw < 0.8 ? changeAll(infra) : deleteAll(infra);
}
