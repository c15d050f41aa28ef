import type { Step } from '../host/step.js';
import type { StepChange } from '../host/step-change.js';

/** What becomes of the data of a service that begins on a server, or ends there. */
export interface DataChange {
  /**
   * `begins`: the service is new on the server and takes nothing along; `lost`: its server is made again; `stays`: the
   * service goes; `moves`: the data comes along from `leftOn`, which keeps a copy.
   */
  is: 'begins' | 'lost' | 'stays' | 'moves';
  /** Paths of the data on the host. */
  paths: string[];
  /** Servers on which the former data stays. */
  leftOn?: string[];
}

/** A line by which data of a service may begin, go, stay or move. */
export interface ChangesData {
  /** What becomes of the data of its service. */
  data?: DataChange;
}

/** One line of a preview, and of the work: what is done to what; what it changes, where somebody looked with that in mind. */
export interface PlannedStep extends Partial<StepChange>, ChangesData {
  /** A server, or `network/NAME`. */
  on: string;
  taskserv?: string;
  /** Imperative; for people. */
  title: string;
  /** What becomes of the machine, where the line is about one; `release`: it stays, and is no longer ours. */
  machine?: 'create' | 'adopt' | 'update' | 'replace' | 'delete' | 'release';
  /** Destroys a server or a volume, or leaves data behind that its service would go on without. */
  destructive?: boolean;
  /** Decided without having seen the host, since it does not exist yet. */
  expected?: boolean;
  /** It would be done without any change of what is wanted. */
  repair?: true;
  /** The step itself, for steps on a host. */
  step?: Step;
  /** Digest of the machine or network that is wanted; with `change`, for who holds an operation to its plan. */
  wants?: string;
}
