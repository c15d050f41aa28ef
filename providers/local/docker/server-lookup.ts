import type Docker from 'dockerode';
import type { CallContext, FoundServer } from '../../../sdk/index.js';
import type { LocalConfig } from '../config.js';
import type { Machine } from './machine.js';

/** Containers of an engine, as the verbs of servers find them. */
export interface Servers {
  docker: Docker;
  config: LocalConfig;
  machine(): Promise<Machine>;
  /** Returns the containers with our names, for every owner. */
  rowsOf(context: CallContext, name?: string): Promise<Docker.ContainerInfo[]>;
  /** Returns the id of our container with this name. Throws if another infra has one. */
  find(name: string, context: CallContext): Promise<string | undefined>;
  /** Describes a container as a server; undefined if it is gone. */
  look(id: string, context: CallContext): Promise<FoundServer | undefined>;
}
