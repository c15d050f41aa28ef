/** Whose resources: what every label says. */
export interface Scope {
  workspace: string;
  infra: string;
  /** The infra's UUID: tells ours from a stranger's of the same name. */
  uuid: string;
}

/** Context that an activity passes to every call. */
export interface CallContext {
  scope: Scope;
  /**
   * The calling set-up. Its resources are labelled with it, so it never takes resources of another set-up for its own.
   */
  setup?: string;
  signal?: AbortSignal;
}
