import type { Step } from '../host/step.js';
import type { StepChange } from '../host/step-change.js';

/** Effect on the data of a service that begins or ends on a server. */
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
  /** Effect on the data of its service. */
  data?: DataChange;
}

/** One line of a preview, and of the work: an action on a resource, with its changes if they were requested. */
export interface PlannedStep extends Partial<StepChange>, ChangesData {
  /** A server, or `network/NAME`. */
  on: string;
  taskserv?: string;
  /** Another server, for whose sake the step is taken: its member leaves a group, or a load balancer takes it out. */
  for?: string;
  /** Imperative; for people. */
  title: string;
  /** Effect on the machine, for a line about one; `release`: it stays, and the platform no longer manages it. */
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
