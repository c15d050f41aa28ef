import { type CallContext, inputError } from '../../../sdk/index.js';
import type { Action, Server } from '../api/shapes.js';
import { type Project, surely } from './project.js';

/** Servers of a project, with the actions that this process has started. */
export interface Servers {
  project: Project;
  /** Actions in progress for servers that this process created, by id. */
  underWay: Map<number, Action[]>;
  /** Number of servers in creation, by the UUID of their infra. */
  making: Map<string, number>;
}

export const openServers = (project: Project): Servers => ({ project, underWay: new Map(), making: new Map() });

/** Finds an existing server. Throws the input error `server-gone`. */
export const must = async ({ project }: Servers, name: string, context: CallContext): Promise<Server> =>
  (await surely(project, () => project.find('server', name, context))) ?? throwGone(name);

export function throwGone(name: string): never {
  throw inputError({ code: 'server-gone', what: 'use the server', on: name, why: 'the project no longer has it' });
}
