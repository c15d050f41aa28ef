import type { TaskservRegistry } from '../../core/registry.js';
import type { Invocation } from './argv.js';

/** What there is to know of taskservs without loading one. */
export const loadKnownTaskservs = async (): Promise<TaskservRegistry> =>
  (await import('../../taskservs/registry.generated.js')).taskservs;

/**
 * `help redis` as `taskserv show redis`, where no command has this name; undefined where it asks for
 * something else.
 */
export function redirectToTaskserv(invocation: Invocation, taskservs: TaskservRegistry): Invocation | undefined {
  const { command, unknown, help } = invocation;
  if (!help || unknown === undefined || !(command === '' || command === 'taskserv')) return undefined;
  if (!Object.hasOwn(taskservs, unknown)) return undefined;
  const { unknown: _, ...rest } = invocation;
  return { ...rest, command: 'taskserv show', help: false };
}

/** Says behind the help of a command that a taskserv has its name; empty where none has. */
export const taskservToo = (command: string, taskservs: TaskservRegistry): string =>
  Object.hasOwn(taskservs, command) ? `\nThere is a taskserv of this name, too: provisioning taskserv show ${command}\n` : '';
