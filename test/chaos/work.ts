import type { Definition } from '../../core/definition/definition.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { definitionOf, type Written } from '../support/definition.js';

/** What an operation is to do while something goes wrong, and what must be there afterwards. */
export interface Work {
  infra: string;
  /** Applied beforehand, undisturbed. */
  before?: Definition;
  wish: Pick<OperationRequest, 'infra' | 'intent' | 'definition'>;
  /** The definition as a person has it, for the command line. */
  file?: Written;
  /** After a good end; `undefined`: nothing at all. */
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

/** A change of what exists: a server and a service come, another service goes. */
export const changeAll = (infra: string): Work => ({ ...makeAll(infra), before: definitionOf(SMALL(infra)) });

/** The end of everything. */
export const deleteAll = (infra: string): Work => ({
  infra,
  before: definitionOf(SMALL(infra)),
  wish: { infra, intent: { verb: 'delete' } },
});

/** One of the three, drawn. */
export function anyWork(random: () => number, infra: string): Work {
  const draw = random();
  return draw < 0.4 ? makeAll(infra) : draw < 0.8 ? changeAll(infra) : deleteAll(infra);
}
