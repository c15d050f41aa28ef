import type { ExistingHost } from '../definition/definition.js';

/** A taskserv on one server of a definition, with what the definition says about the server. */
export interface AgreeingServer<C> {
  server: string;
  config: C;
  /** Its provider, without the account: `hetzner`. An existing machine has the one of its definition, which made nothing. */
  provider: string;
  /** Name of its private network, and the network's range if the definition says it. */
  network: string;
  networkRange?: string;
  /** The machine existed before. */
  host?: ExistingHost;
  /** Endpoints of the taskservs on the same server, by the name of the taskserv. */
  beside: Readonly<Record<string, readonly { name: string; protocol?: string; local?: boolean }[]>>;
  /** Names of the taskservs of all servers. */
  everywhere: readonly string[];
}

/** A fault of a configuration, or a warning. */
export interface Disagreement {
  server: string;
  /** Place in the configuration of this server. */
  at: readonly (string | number)[];
  message: string;
  suggestion?: string;
  /** The definition can be applied. */
  warning?: true;
}

/** Decisions of a taskserv about all of its servers. */
export interface Agreement<C> {
  /** In the order of the servers. */
  configs: C[];
  disagreements: Disagreement[];
  /** Servers that a server has to reach by their names, by its own name. */
  reaches?: Readonly<Record<string, readonly string[]>>;
}
