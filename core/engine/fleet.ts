/** State of a version in a fleet: whether it gets new operations, and whether it has any. */
export type VersionState = 'current' | 'ramping' | 'draining' | 'drained' | 'inactive';

/** One build of a fleet's workers, as the Temporal service sees it. */
export interface FleetVersion {
  build: string;
  state: VersionState;
  /** Share of new operations that go to a ramping one, in percent. */
  percent?: number;
  /** Operations that began on it and have not ended: until there are none, a worker of it must run. */
  operations?: number;
  /** ISO time. */
  since?: string;
}

/** A Worker Deployment: all versions that its workers are of. */
export interface Fleet {
  deployment: string;
  versions: FleetVersion[];
}
