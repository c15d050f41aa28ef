import type { TaskservRegistry } from '../../core/registry.js';
import type { Invocation } from './argv.js';

/** Returns the registry of taskservs without loading a taskserv. */
export const loadKnownTaskservs = async (): Promise<TaskservRegistry> =>
  (await import('../../taskservs/registry.generated.js')).taskservs;

/** Turns `help redis` into `taskserv show redis` if no command has this name. Otherwise returns undefined. */
export function redirectToTaskserv(invocation: Invocation, taskservs: TaskservRegistry): Invocation | undefined {
  const { command, unknown, help } = invocation;
  if (!help || unknown === undefined || !(command === '' || command === 'taskserv')) return undefined;
  if (!Object.hasOwn(taskservs, unknown)) return undefined;
  const { unknown: _, ...rest } = invocation;
  return { ...rest, command: 'taskserv show', help: false };
}

/** Returns a note after a command's help if a taskserv has the same name; otherwise empty. */
export const taskservToo = (command: string, taskservs: TaskservRegistry): string =>
  Object.hasOwn(taskservs, command) ? `\nThere is a taskserv of this name, too: provisioning taskserv show ${command}\n` : '';
