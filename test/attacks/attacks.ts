import { FORGED, idle, keyOf, OTHER, PLAIN, REQUESTS, type Receiver, type Target, WAYS, type Way } from './forged.js';
import { type Message, OF_THE_SDK, type Registry } from './registry.js';

/** One thing that an attacker does, and what main.ts calls it. */
export interface Attack {
  name: string;
  kind: Message['kind'] | 'start' | 'activity' | 'result';
  /** The name of the workflow, message or activity. */
  what: string;
  way: Way;
  /** Of a message. */
  to: readonly Receiver[];
  tries: unknown[][];
}

const EVERYBODY: readonly Receiver[] = ['entity', 'operation', 'queued', 'batch'];
/** Who takes a forged message has to make something of it; a recorded one is as good as it is. */
const none: unknown[][] = [];

/** Every workflow, signal, update, query and activity, in each way. @param target what forged messages are about */
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

/** The names of all attacks on this version, for those who only count. */
export const namesOf = (registry: Registry): string[] => attacksOn(registry, NOBODY).map(({ name }) => name);

/** Whether what is taken changes nothing, by the name of the attack. */
export function isIdle(name: string): boolean {
  const [, kind = '', key = '', way = ''] = /^(\w+) (\S+): (.*)$/.exec(name) ?? [];
  return idle(kind as Message['kind'], key, way) !== undefined;
}
