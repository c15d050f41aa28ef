/** Whose resources: what every label says. */
export interface Scope {
  workspace: string;
  infra: string;
  /** The infra's UUID: tells ours from a stranger's of the same name. */
  uuid: string;
}

/** What an activity hands to every call. */
export interface CallContext {
  scope: Scope;
  /** Which set-up asks: what it makes bears this, so that it never takes another's for its own leavings. */
  setup?: string;
  signal?: AbortSignal;
}
