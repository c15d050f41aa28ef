/** A taskserv that another one has on a server, with its configuration, parsed. */
export interface Companion {
  taskserv: string;
  server: string;
  config: unknown;
}

/**
 * Taskservs that a taskserv adds on servers of its choice: work that is done once for all of them, and before them
 * (`after`).
 */
export interface Companions<C> {
  /** Those that it may bring. */
  names: readonly string[];
  /**
   * @param on its servers, in the order of the definition
   * @returns the configurations in the same order with the decisions about them, and the companions; or the fault
   */
  of(on: readonly { server: string; config: C }[]): { configs: C[]; companions: Companion[] };
}
