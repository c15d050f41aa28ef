import type { Definition } from '../../core/definition.js';
import type { OperationRequest } from '../../core/operation.js';
import { demoDefinition } from '../support/definition.js';

/** What an operation is to do while something goes wrong, and what must be there afterwards. */
export interface Work {
  infra: string;
  /** Applied beforehand, undisturbed. */
  before?: Definition;
  wish: Pick<OperationRequest, 'infra' | 'intent' | 'definition'>;
  /** After a good end; `undefined`: nothing at all. */
  wanted?: Definition;
}

const SMALL = (infra: string): Definition =>
  demoDefinition(infra, {
    servers: [{ name: 'web', count: 2, volumes: [{ name: 'data', size: '10 GiB', mount: '/data' }] }],
    taskservs: ['nginx', { name: 'node-exporter', on: { server: 'web-1' } }],
  });

const LARGE = (infra: string): Definition =>
  demoDefinition(infra, {
    servers: [
      { name: 'web', count: 2, volumes: [{ name: 'data', size: '10 GiB', mount: '/data' }] },
      { name: 'db', volumes: [{ name: 'dump', size: '10 GiB', mount: '/dump' }] },
    ],
    taskservs: ['nginx', 'redis'],
  });

const ENSURE = { verb: 'ensure', prune: true } as const;

/** A first deployment. */
export const makeAll = (infra: string): Work => ({
  infra,
  wish: { infra, intent: ENSURE, definition: LARGE(infra) },
  wanted: LARGE(infra),
});

/** A change of what exists: a server and a service come, another service goes. */
export const changeAll = (infra: string): Work => ({ ...makeAll(infra), before: SMALL(infra) });

/** The end of everything. */
export const deleteAll = (infra: string): Work => ({ infra, before: SMALL(infra), wish: { infra, intent: { verb: 'delete' } } });

/** One of the three, drawn. */
export function anyWork(random: () => number, infra: string): Work {
  const draw = random();
  return draw < 0.4 ? makeAll(infra) : draw < 0.8 ? changeAll(infra) : deleteAll(infra);
}
