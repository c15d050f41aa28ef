import type { AnyTaskserv } from './taskserv.js';

/** Text after `@` in the name of an instance. */
const INSTANCE = /^([^@]+)@([a-z](?:[a-z0-9-]{0,18}[a-z0-9])?)$/;

/** Rule of `INSTANCE` in words. */
export const INSTANCE_RULE = 'up to 20 lower-case letters, digits and dashes';

/**
 * The parts of a name: `app@shop` is the instance `shop` of the taskserv `app`, as units of systemd are named.
 * A name without an instance, or with one that cannot be, is that of a taskserv itself.
 */
export function partsOfName(name: string): { taskserv: string; instance?: string } {
  const [, taskserv, instance] = INSTANCE.exec(name) ?? [];
  return taskserv !== undefined && instance !== undefined ? { taskserv, instance } : { taskserv: name };
}

/** The taskserv that an instance is of; a name without one is its own. */
export const taskservIn = (name: string): string => partsOfName(name).taskserv;

/** Finds the taskserv of a name. Undefined if it is unknown, or a server can have only one of it. */
export function taskservNamed(taskservs: Readonly<Record<string, AnyTaskserv>>, name: string): AnyTaskserv | undefined {
  const { taskserv, instance } = partsOfName(name);
  const found = Object.hasOwn(taskservs, taskserv) ? taskservs[taskserv] : undefined;
  return instance === undefined ? found : found?.instance?.(instance);
}

/** Names of taskservs, and with each its instances among others: what comes after a taskserv comes after each of them. */
export const addInstances = (names: readonly string[], others: Iterable<string>): string[] => [
  ...new Set([...names, ...[...others].filter((other) => names.includes(taskservIn(other)))]),
];
