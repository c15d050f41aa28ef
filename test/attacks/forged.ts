import type { Message } from './registry.js';

/** Receiver of a message: the entity of an infra, an operation, a queued operation, or a batch. */
export type Receiver = 'entity' | 'operation' | 'queued' | 'batch';

/** Workflows that the attacker aims at. All of them can be read from Temporal's lists. */
export interface Target {
  entity: string;
  /** Holds the lock of the infra and waits for an approval. */
  operation: string;
  /** Waits for that lock. */
  queued: string;
  /** Its first operation waits for that lock too, and its second one runs. */
  batch: string;
  /** The entity of another infra: a running workflow. */
  other: string;
}

interface Forged {
  to: Receiver;
  /** Messages of the stranger, sent one after another. Each is a list of arguments. */
  tries(target: Target): unknown[][];
}

const stranger = { actor: 'stranger' };
const network = { change: 'network', network: { name: 'forged', provider: 'demo', id: 'forged', since: 'stranger' } };
/** In a home of the former commit, grants are numbered from 1. A new infra has these. */
const GRANTS = [1, 2, 3];
const say = (to: Receiver, ...args: unknown[]): Forged => ({ to, tries: () => [args] });

/**
 * Forged messages by module and name. A message that is missing here is sent to all receivers without arguments, and a
 * unit test fails.
 */
export const FORGED: Readonly<Record<string, Forged>> = {
  'batch.approve': say('batch', stranger),
  'batch.batch': say('batch'),
  'batch.cancel': say('batch', stranger),
  'batch.closed': { to: 'batch', tries: ({ batch }) => [[[{ operation: `${batch}-2`, how: 'TERMINATED' }]]] },
  'batch.decide': say('batch', { ...stranger, decision: 'rollback' }),
  'batch.reported': { to: 'batch', tries: ({ batch }) => [[[{ index: 1, operation: `${batch}-2`, status: 'done' }]]] },
  'control.approve': say('operation', { ...stranger, approved: false }),
  'control.decide': say('operation', { ...stranger, decision: 'keep' }),
  'control.force': say('operation', stranger),
  'control.pause': say('operation', stranger),
  'control.resume': say('operation', stranger),
  'control.stop': say('operation', stranger),
  'infra.acquire': {
    to: 'entity',
    tries: ({ other }) => [[{ operation: other, kind: 'cluster', resources: ['server/none'], ...stranger, needs: {} }]],
  },
  'infra.acquireMany': say('entity', { wishes: [] }),
  'infra.changed': { to: 'entity', tries: () => GRANTS.map((grant) => [{ grant, changes: [network] }]) },
  'infra.definition': say('entity', 'x'),
  'infra.definitions': say('entity'),
  'infra.feed': say('entity', 1),
  'infra.forgotten': { to: 'entity', tries: ({ operation }) => [[[operation]]] },
  'infra.grant': say('entity', 'x'),
  'infra.grantable': { to: 'batch', tries: ({ batch }) => [[[`${batch}-1`]]] },
  'infra.granted': say('queued', {
    grant: 9,
    inventory: { workspace: 'default', infra: 'x', uuid: 'x', servers: {}, networks: {} },
  }),
  'infra.holds': say('entity', [{ operation: 'x', grant: 1 }]),
  'infra.inventory': say('entity'),
  'infra.locks': say('entity'),
  'infra.release': { to: 'entity', tries: () => GRANTS.map((grant) => [{ grant, changes: [] }]) },
  'infra.told': { to: 'entity', tries: () => GRANTS.map((grant) => [[{ grant, changes: [network] }]]) },
  'infra.wait': say('entity', 'x'),
  'test-environment.endEnvironment': say('operation', stranger),
  'test-environment.environment': say('operation'),
  'test-environment.keepEnvironment': say('operation', stranger),
  'run-operation.progress': say('operation'),
  'run-operation.progressParts': say('operation', '', 1_000_000),
  'run-operation.request': say('operation'),
};

export const keyOf = ({ module, name }: Message): string => `${module}.${name}`;

/** Requests by workflow. A workflow that is missing here is started with only an id, and a unit test fails. */
export const REQUESTS: Readonly<Record<string, object>> = {
  cluster: { kind: 'cluster', intent: { verb: 'ensure', prune: true } },
  server: { kind: 'server', intent: { verb: 'ensure', servers: ['web-1'] } },
  taskserv: { kind: 'taskserv', intent: { verb: 'ensure', taskservs: ['redis'] } },
  batch: { name: 'x', operations: 1, pageSize: 1, pages: ['0'.repeat(64)], stages: [1], parallel: 1, accounts: {}, priority: 3 },
  ask: { provider: 'demo', topic: 'plans' },
  refresh: {},
  importServer: { provider: 'demo', server: 'web-1', name: 'web-1', check: true },
  infra: {},
  groupShare: { output: 'token' },
  labels: {},
  testEnvironment: { type: 'single', about: 'redis', ttlMs: 0 },
  orphans: {},
};

/**
 * Returns the reason why a message has no effect on any receiver. It acts only once, or names its own resources. The
 * former commit still accepts such a message.
 */
export function idle(kind: Message['kind'], key: string, how: string): string | undefined {
  if (kind !== 'signal') return undefined;
  if (key === 'infra.grantable') return 'the batch asks the infra again, which decides';
  if (how === SAME) return 'it was done already';
  if (how === OTHER && ['infra.forgotten', 'batch.reported', 'batch.closed'].includes(key)) return 'it names others';
  return undefined;
}

export const PLAIN = 'plain';
export const SAME = 'recorded, to the same';
export const OTHER = 'recorded, to another';
export const WAYS = [PLAIN, SAME, OTHER] as const;
export type Way = (typeof WAYS)[number];
