import { type CallContext, inputError } from '../../../sdk/index.js';
import type { Action, Server } from '../api/shapes.js';
import { type Project, surely } from './project.js';

/** The servers of a project, with what this process has begun. */
export interface Servers {
  project: Project;
  /** What is under way for servers that this process made, by their ids. */
  underWay: Map<number, Action[]>;
  /** How many servers of an infra are being made, by its UUID. */
  making: Map<string, number>;
}

export const openServers = (project: Project): Servers => ({ project, underWay: new Map(), making: new Map() });

/** One that has to be there. Throws the input error `server-gone`. */
export const must = async ({ project }: Servers, name: string, context: CallContext): Promise<Server> =>
  (await surely(project, () => project.find('server', name, context))) ?? throwGone(name);

export function throwGone(name: string): never {
  throw inputError({ code: 'server-gone', what: 'use the server', on: name, why: 'the project no longer has it' });
}
