import type { Question } from '../operation/control.js';

/** Identifies a process. A pid is not enough, because the system may give it to another process. */
export interface ProcessMark {
  pid: number;
  /** When it started, in the operating system's own words; compared, never parsed. */
  started: string;
}

/** The Temporal server that a home runs itself. */
export interface ServerRecord extends ProcessMark {
  /** Version of the CLI that contains it (`1.8.2`). */
  version: string;
  /** Version of the server in it (`1.31.2`). */
  serverVersion: string;
  binary: string;
  /** ISO time. */
  since: string;
}

/** Which work a worker gets. */
export interface ServedEngine {
  kind: 'own' | 'configured';
  /** `host:port` of the gRPC service. */
  address: string;
  namespace: string;
  taskQueue: string;
  /** The profile of Temporal's configuration file that names the service. */
  profile?: string;
  /** The team's store, without its password; undefined where the home's files are the store. */
  store?: string;
  /** The Worker Deployment of whose versions the home's worker is one; undefined without Worker Versioning. */
  deployment?: string;
  /**
   * Folder of the certificates by which an own engine is reached: `ca.pem`, and `client.pem` with its key.
   * Undefined for one that cannot do mutual TLS.
   */
  certificates?: string;
  /** Fingerprint of those certificates. A worker that was started with others is replaced. */
  fingerprint?: string;
}

/**
 * Access to an own engine: owners of the home's certificates, or every local user, for whom only payloads are sealed.
 */
export type Transport = 'mutual-tls' | 'sealed-only';

/** How an own engine is reached; undefined for a configured service, of which its profile tells. */
export const transportOf = ({ kind, certificates }: Pick<ServedEngine, 'kind' | 'certificates'>): Transport | undefined =>
  kind === 'own' ? (certificates ? 'mutual-tls' : 'sealed-only') : undefined;

export interface WorkerRecord extends ProcessMark {
  /** Content hash of the code it runs (`dist/build-id`). */
  build: string;
  /** ISO time. */
  since: string;
  /** As it was when the worker was started: an `up` that fails may have recorded another engine since. */
  serves: ServedEngine;
}

/**
 * `<home>/engine/engine.json`: which Temporal service this home uses, written
 * by `up`, removed by `down`, read by the worker and by clients. A `configured`
 * service is connected to with what `@temporalio/envconfig` says (TLS, API key):
 * no credentials stand here.
 */
export interface EngineRecord extends ServedEngine {
  /** Days that a configured service keeps what has ended, as `up` last saw it. */
  retentionDays?: number;
  /** URL of the Web UI if it is known; `unix:PATH` for a socket. */
  ui?: string;
  /** Only for `own`. */
  server?: ServerRecord;
  worker?: WorkerRecord;
}

/** Result of `up`. */
export interface UpResult {
  address: string;
  ui?: string;
  namespace: string;
  taskQueue: string;
  engine: 'configured' | 'running' | 'started';
  /** The team's store, without its password. */
  store?: string;
  /** Systemd unit that runs it, if it was just installed. */
  service?: string;
  /** `absent` with `--no-worker`. */
  worker: 'running' | 'started' | 'replaced' | 'absent';
  /** Version of the server if the platform runs it. */
  version?: string;
  /** Only for an engine of the home's own. */
  transport?: Transport;
  /** Faults that do not stop work, each with its remedy. */
  warnings?: string[];
  build?: string;
  /** The API server of `up --api`. */
  api?: {
    how: 'running' | 'started' | 'replaced';
    url: string;
    /** The port, if it listens at all addresses of the machine. */
    everywhere?: number;
    /** The sender of this code becomes the first administrator. Only for `up --api` without an administrator. */
    code?: string;
    /** File of what clients trust, if the home made the certificate itself. */
    authority?: string;
    /** Address of the orchestrator's API, if it was requested. */
    compat?: string;
  };
}

export interface DownResult {
  /** `absent`: none was running. */
  worker: 'stopped' | 'absent';
  engine: 'stopped' | 'absent' | 'configured';
  /** Only if an API server ran. */
  api?: 'stopped';
}

/** One worker that asked the task queue for work lately. */
export interface Poller {
  identity: string;
  /** Undefined for one that is not ours. */
  build?: string;
  /** ISO time. */
  lastSeen: string;
}

/** How much a store holds. */
export interface StoreSize {
  count: number;
  bytes: number;
}

export interface ServiceStatus {
  unit: string;
  /** `system` starts with the machine, `user` with the session of its user. */
  scope: 'user' | 'system';
  /** In systemd's own words (`active`, `failed`); `unknown` where it does not answer. */
  active: string;
  /** Whether it starts automatically. */
  enabled: boolean;
}

export interface EngineStatus {
  state: 'running' | 'stopped' | 'unreachable';
  kind?: 'own' | 'configured';
  address?: string;
  ui?: string;
  namespace?: string;
  taskQueue?: string;
  profile?: string;
  store?: string;
  deployment?: string;
  server?: { pid: number; version: string; uptimeSeconds: number };
  worker?: {
    pid: number;
    build: string;
    uptimeSeconds: number /** Whether it runs the code that is built now. */;
    current: boolean;
  };
  /** The API server of `up --api`, while it runs. */
  api?: { pid: number; url?: string; build: string; uptimeSeconds: number; current: boolean };
  /** The process that starts the worker again when it dies. */
  supervisor?: { pid: number };
  /** The unit of systemd that runs it, where `up --install-service` made one. */
  service?: ServiceStatus;
  /** Operations of which an activity is refused, since workers kept dying with it at work. */
  setAside?: { operation: string; activity: string; deaths: number; last: string }[];
  /** Operations and batches that wait for a person's answer, the newest first; at most twenty. They keep their locks. */
  asking?: { operation: string; infra?: string; question: Question; batch?: true }[];
  /** Operations without a worker, among the newest twenty, each with the time since when (ISO time). */
  withoutWorker?: { operation: string; since: string }[];
  pollers: Poller[];
  /**
   * Encrypted data beside Temporal's history: payloads that are too large for it, and the pages of batches. Absent if
   * the store does not answer.
   */
  stored?: { payloads: StoreSize; pages: StoreSize };
  /** Only for an engine of the home's own. */
  transport?: Transport;
  /** Faults that do not stop work, each with its remedy. */
  warnings?: string[];
  /** Problems, each with its remedy; empty if all is well. */
  problems: string[];
}
