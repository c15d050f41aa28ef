import type { Definition } from '../../core/definition/definition.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { Holder, OperationStatus, Waiter } from '../../core/operation/operation.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import type { DemoEffect } from '../../providers/demo/store/state.js';

/** Kinds of a round's findings. The first four are columns of the table. */
export type FindingKind = 'orphaned' | 'doubled' | 'lock' | 'silent' | 'wrong';

export interface Finding {
  kind: FindingKind;
  what: string;
}

/** State of an operation after a round. */
export interface OperationSeen {
  operation: string;
  /** Whether Temporal still runs it. */
  open: boolean;
  status: OperationStatus;
  waiting?: string;
  /** Values of the search attribute that requests a person's attention. */
  attention: string[];
  plan: PlannedStep[];
}

/** Resources of an infra at its provider, by name. */
export interface Existing {
  servers: string[];
  networks: string[];
  /** `server/volume`. */
  volumes: string[];
}

export const NOTHING_EXISTS: Existing = { servers: [], networks: [], volumes: [] };

const wrong = (what: string): Finding => ({ kind: 'wrong', what });

/** Finds resources that are missing from the inventory, and inventory entries without a resource. */
export function strays(existing: Existing, inventory: Inventory | undefined): Finding[] {
  const servers = Object.values(inventory?.servers ?? {});
  const known: Existing = {
    servers: servers.map(({ name }) => name),
    networks: Object.keys(inventory?.networks ?? {}),
    volumes: servers.flatMap(({ name, spec }) => spec.volumes.map((volume) => `${name}/${volume.name}`)),
  };
  return (Object.keys(known) as (keyof Existing)[]).flatMap((kind) => {
    const repeated = existing[kind].filter((name, index) => existing[kind].indexOf(name) !== index);
    return [
      ...existing[kind]
        .filter((name) => !known[kind].includes(name))
        .map((name): Finding => ({ kind: 'orphaned', what: `${kind}: ${name} is in no inventory` })),
      ...known[kind]
        .filter((name) => !existing[kind].includes(name))
        .map((name) => wrong(`${kind}: ${name} is in the inventory and does not exist`)),
      ...repeated.map((name): Finding => ({ kind: 'doubled', what: `${kind}: ${name} exists more than once` })),
    ];
  });
}

const operationOf = ({ key }: DemoEffect) => key.split('/')[0] ?? '';

/**
 * Finds effects that happened twice: under one key, or under two keys of one operation without a roll-back between
 * them.
 */
export function doubledEffects(effects: DemoEffect[]): Finding[] {
  const seen = new Set<string>();
  const standing = new Set<string>();
  const findings: Finding[] = [];
  for (const effect of effects) {
    const { verb, name, key } = effect;
    const once = `${verb} ${name} under ${key}`;
    if (seen.has(once)) findings.push({ kind: 'doubled', what: once });
    seen.add(once);
    const thing = (made: string) => `${made} ${name} by ${operationOf(effect)}`;
    if (verb === 'host.undo') standing.delete(thing('host.step'));
    if (verb !== 'host.step') continue;
    if (standing.has(thing(verb)) && !findings.some(({ what }) => what === once))
      findings.push({ kind: 'doubled', what: thing(verb) });
    standing.add(thing(verb));
  }
  return findings;
}

const EFFECT_OF = [
  [/^Create the server (\S+)/, 'servers.create'],
  [/^Change the server (\S+)/, 'servers.update'],
  [/^Create the network (\S+)/, 'networks.create'],
] as const;

/** Compares the effects of a successful operation with its plan: each effect exactly once, and nothing else. */
export function effectsAgainstPlan(
  { operation, plan }: Pick<OperationSeen, 'operation' | 'plan'>,
  effects: DemoEffect[],
): Finding[] {
  const planned = plan.flatMap(({ on, taskserv, title }) => {
    if (taskserv) return [`host.step ${on}/${taskserv}: ${title}`];
    const [name, verb] =
      EFFECT_OF.flatMap(([pattern, verb]) => (pattern.test(title) ? [[pattern.exec(title)?.[1], verb]] : []))[0] ?? [];
    return name ? [`${verb} ${name.replace(/:$/, '')}`] : [];
  });
  const done = effects
    .filter((effect) => operationOf(effect) === operation && !effect.verb.endsWith('.delete'))
    .map(({ verb, name }) => `${verb} ${name}`);
  const count = (list: string[], one: string) => list.filter((other) => other === one).length;
  return [...new Set([...planned, ...done])].flatMap((one): Finding[] => {
    const [is, should] = [count(done, one), count(planned, one)];
    if (is === should) return [];
    return [{ kind: is > should && should > 0 ? 'doubled' : 'wrong', what: `${one}: ${is} times instead of ${should}` }];
  });
}

/** Finds locks whose holder or waiter has ended, and locks that no operation of this round can have requested. */
export function locksLeft(
  { holders, waiters }: { holders: Pick<Holder, 'operation'>[]; waiters: Pick<Waiter, 'operation'>[] },
  operations: OperationSeen[],
): Finding[] {
  const open = new Set(operations.filter((one) => one.open).map(({ operation }) => operation));
  const left = [
    ...holders.map(({ operation }) => ['holds', operation]),
    ...waiters.map(({ operation }) => ['waits for', operation]),
  ];
  return left.flatMap(([how, operation = '']): Finding[] =>
    open.has(operation) ? [] : [{ kind: 'lock', what: `${operation} ${how} a lock and has ended` }],
  );
}

/** Finds operations that neither end nor report what they wait for. */
export function silentWaits(operations: OperationSeen[]): Finding[] {
  return operations.flatMap((one): Finding[] => {
    if (!one.open || waitsWithReason(one)) return [];
    return [
      { kind: 'silent', what: `${one.operation} is ${one.status}${one.waiting ? ` (${one.waiting})` : ''} and calls nobody` },
    ];
  });
}

/** Reports whether a person can see that the operation waits, and why. */
export const waitsWithReason = ({ open, status, waiting, attention }: OperationSeen): boolean =>
  open && status === 'waiting' && (waiting ?? '').trim() !== '' && attention.length > 0;

/**
 * Compares the servers of the inventory with the definition in force, after requests that removed nothing.
 *
 * @param named servers of all requests; no other server may exist
 */
export function againstInForce(inventory: Inventory | undefined, inForce: Definition, named: readonly string[]): Finding[] {
  const wanted = inForce.servers.map(({ name }) => name);
  const made = Object.keys(inventory?.servers ?? {});
  return [
    ...wanted
      .filter((name) => !made.includes(name))
      .map((name) => wrong(`the definition in force has ${name}, and it is not there`)),
    ...made
      .filter((name) => !wanted.includes(name) && !named.includes(name))
      .map((name) => wrong(`${name} is there, and no request named it`)),
  ];
}

/** Compares the inventory with the applied definition: servers, services, health. */
export function againstDefinition(inventory: Inventory | undefined, definition: Definition): Finding[] {
  const list = (servers: { name: string; services: string[] }[]) =>
    servers
      .map(({ name, services }) => `${name}: ${[...services].sort().join(' ')}`)
      .sort()
      .join('; ');
  const wanted = list(
    definition.servers.map(({ name, taskservs }) => ({ name, services: taskservs.map((taskserv) => taskserv.name) })),
  );
  const servers = Object.values(inventory?.servers ?? {});
  const found = list(servers.map(({ name, services }) => ({ name, services: Object.keys(services) })));
  const ill = servers.flatMap(({ name, services }) =>
    Object.values(services)
      .filter(({ healthy }) => healthy !== true)
      .map(({ taskserv }) => `${name}/${taskserv}`),
  );
  return [
    ...(wanted === found ? [] : [wrong(`the inventory has "${found}" instead of "${wanted}"`)]),
    ...(JSON.stringify(inventory?.definition) === JSON.stringify(definition)
      ? []
      : [wrong('the inventory remembers another definition')]),
    ...ill.map((name) => wrong(`${name} is not recorded as healthy`)),
  ];
}

/** Checks that a roll-back restored the former state. Both states are plain data. */
export function asBefore(what: string, before: unknown, after: unknown): Finding[] {
  const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
  if (was === is) return [];
  const at = [...(was ?? '')].findIndex((letter, index) => letter !== is?.[index]);
  const part = (text = 'nothing') => text.slice(Math.max(0, at - 40), at + 80);
  return [wrong(`${what} is not as before: …${part(is)}… instead of …${part(was)}…`)];
}
