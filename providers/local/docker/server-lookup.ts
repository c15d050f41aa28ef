import type Docker from 'dockerode';
import type { CallContext, FoundServer } from '../../../sdk/index.js';
import type { LocalConfig } from '../config.js';
import type { Machine } from './machine.js';

/** The containers of an engine, as the verbs of servers find them. */
export interface Servers {
  docker: Docker;
  config: LocalConfig;
  machine(): Promise<Machine>;
  /** Those that bear our names, whoever's they are. */
  rowsOf(context: CallContext, name?: string): Promise<Docker.ContainerInfo[]>;
  /** The id of our container of this name; throws when another infra has one. */
  find(name: string, context: CallContext): Promise<string | undefined>;
  /** A container as a server; undefined where it is gone. */
  look(id: string, context: CallContext): Promise<FoundServer | undefined>;
}
