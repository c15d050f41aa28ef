import { FORGED, idle, keyOf, OTHER, PLAIN, REQUESTS, type Receiver, type Target, WAYS, type Way } from './forged.js';
import { type Message, OF_THE_SDK, type Registry } from './registry.js';

/** One action of an attacker, with its name in main.ts. */
export interface Attack {
  name: string;
  kind: Message['kind'] | 'start' | 'activity' | 'result';
  /** Name of the workflow, message or activity. */
  what: string;
  way: Way;
  /** Receivers of a message. */
  to: readonly Receiver[];
  tries: unknown[][];
}

const EVERYBODY: readonly Receiver[] = ['entity', 'operation', 'queued', 'batch'];
/** A forged message needs arguments that its receiver can use. A recorded message already has them. */
const none: unknown[][] = [];

/**
 * Creates attacks on every workflow, signal, update, query and activity, in each way. @param target subject of forged
 * messages
 */
export function attacksOn({ workflows, messages, activities }: Registry, target: Target): Attack[] {
  const starts = workflows.flatMap((what) =>
    WAYS.map(
      (way): Attack => ({ name: `start ${what}: ${way}`, kind: 'start', what, way, to: [], tries: [[REQUESTS[what] ?? {}]] }),
    ),
  );
  const said = messages.flatMap((message) => {
    const key = keyOf(message);
    const { kind, name: what } = message;
    const forged = FORGED[key];
    const to = forged ? [forged.to] : EVERYBODY;
    return WAYS.map(
      (way): Attack => ({
        name: `${kind} ${key}: ${way}`,
        kind,
        what,
        way,
        to,
        tries: way === PLAIN ? (forged?.tries(target) ?? [[]]) : none,
      }),
    );
  });
  const built = OF_THE_SDK.flatMap((what) =>
    [PLAIN, OTHER].map(
      (way): Attack => ({ name: `query ${what}: ${way}`, kind: 'query', what, way: way as Way, to: ['operation'], tries: [[]] }),
    ),
  );
  const done = activities.flatMap((what) =>
    WAYS.map((way): Attack => ({ name: `activity ${what}: ${way}`, kind: 'activity', what, way, to: [], tries: [[{}]] })),
  );
  return [...starts, ...said, ...built, ...done];
}

const NOBODY: Target = { entity: '', operation: '', queued: '', batch: '', other: '' };

/** Returns the names of all attacks on this version, for counts. */
export const namesOf = (registry: Registry): string[] => attacksOn(registry, NOBODY).map(({ name }) => name);

/** Reports whether an accepted attack with this name changes nothing. */
export function isIdle(name: string): boolean {
  const [, kind = '', key = '', way = ''] = /^(\w+) (\S+): (.*)$/.exec(name) ?? [];
  return idle(kind as Message['kind'], key, way) !== undefined;
}
