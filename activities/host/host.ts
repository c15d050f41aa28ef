import type { Readable, Writable } from 'node:stream';
import type { ArtifactAction } from '../../core/host/artifact.js';
import type { Answer, Question } from '../../core/host/question.js';
import type { Step } from '../../core/host/step.js';
import type { Scope } from '../../core/machine/call-context.js';
import type { Connection } from '../../core/machine/provider.js';
import type { HostRecord } from '../../core/recovery/host-record.js';
import type { GivenShare } from '../../core/taskserv/groups/share.js';
import type { Job } from './journal/execute.js';
import type { Brings } from './journal/note-before.js';

/** A host of an infra, and how it is reached. */
export interface HostRef<C extends Connection = Connection> {
  scope: Scope;
  server: string;
  /** With its account. */
  provider: string;
  connection: C;
}

/** A way to a host of an infra. Nothing is connected before it is used. */
export type HostOf = (ref: HostRef) => Host;

/** Steps of one unit, done under one journal. */
export interface Work extends Job {
  steps: Step[];
  /** Names of the secrets that the definition declares for this work: its steps may use no others. */
  secrets?: string[];
  /** Values of the shares of its group that the steps refer to, by name. Only within the worker. */
  shares?: ReadonlyMap<string, GivenShare>;
  /** Pauses of the operation that are over. */
  pauses?: number;
  /** For an undo: steps of it were begun on the host, so that there was a journal. */
  begun?: boolean;
  /** For an undo: the positions of steps that stay. */
  keep?: number[];
  /** Resulting version and configuration of the service. Absent for units that are no services. */
  brings?: Brings;
  /** Under which it is done: a host that has seen a later one of the infra refuses it (`grant-superseded`). */
  grant?: number;
  /** Asks whether the grant holds at this moment, where a host has seen a later one. */
  stillHolds?(): Promise<boolean>;
}

/** Completed work: all of it, or the part before a pause. */
export interface ActResult {
  executed: number;
  /** Shares of a group that were made for it on other members. */
  made?: number;
  paused?: true;
  /** For an undo: nothing had been begun. */
  nothing?: true;
}

/** Progress of work by its journal. */
export interface JobProgress {
  /** Steps of it have begun. */
  begun: boolean;
  /** It runs, or it is done, or the steps that matter are: it needs no other values. */
  attached: boolean;
}

/** Content of a heartbeat of running work, for live displays. */
export interface WorkBeat {
  server: string;
  taskserv: string;
  step: string;
  done: number;
  total: number;
  /** The last line that the host printed. */
  line?: string;
}

/** The machine under a host. */
export interface Machine {
  os: string;
  /** `debian-13`; absent where the system does not say its version. */
  release?: string;
  arch: string;
  cores: number;
  memoryMiB: number;
  /** Free space where packages and journals go. */
  freeMiB: number;
}

/** Answer of one look at a host. */
export interface Sight {
  /** Absent where there is no machine that could be looked at. */
  machine?: Machine;
  /** In the order asked. */
  answers: Answer[];
}

/** Whether a unit is healthy, and which version of it is there. */
export type HealthAnswer = Pick<Answer, 'why' | 'installed'>;

/** A host, by whatever way it is reached. Its verbs are called within an activity, whose cancellation they follow. */
export interface Host {
  /** By which the other servers of its network reach it: an address, or a name. Absent where it has none, or none is known. */
  readonly privateAddress?: string;
  /**
   * Answers all questions at once; changes nothing.
   *
   * @param probeSeconds that a single fact or check may take; absent: 15
   */
  look(questions: readonly Question[], probeSeconds?: number): Promise<Sight>;
  /** Runs the steps of one unit. If they are done or running, it attaches to them. */
  run(work: Work): Promise<ActResult>;
  /**
   * Asks `run` in flight to end before its next step. It says so by its result, and goes on there when called again.
   *
   * @param count how many pauses the operation has had with this one
   */
  pause(job: Job, count: number): Promise<void>;
  /**
   * Undoes the work of `run` under the same journal, backwards. Does nothing if nothing was begun. Throws the input
   * error `journal-gone` if work was begun and the journal is missing.
   */
  undo(work: Work): Promise<ActResult>;
  /** Answers one question once the unit is healthy, or says why it is not when `withinMs` milliseconds are over. */
  verify(question: Question, withinMs: number): Promise<HealthAnswer>;
  /**
   * Runs a script that reads and prints data, by a connection of its own. Answers what it printed, unless `output` takes
   * that. Absent where there is no machine that could have data.
   *
   * @param ends `limitMs`: how long it may take
   * @throws the input error `data-not-moved` where the script fails
   */
  stream?(script: string, ends?: { input?: Readable; output?: Writable; limitMs?: number }): Promise<string>;
  /**
   * How far `run` has come under the same journal. Absent where there is no machine that could have a journal.
   *
   * @param positions of steps that matter
   */
  progress?(job: Job, positions: readonly number[]): Promise<JobProgress>;
  readonly access: HostAccess;
  /** Absent where there is no machine that could have files. */
  readonly files?: HostFiles;
}

/** Files that are too large for a step, part by part. */
export interface HostFiles {
  /** How many parts of an artifact have come; undefined where it is in its folder already. */
  come(artifact: ArtifactAction): Promise<number | undefined>;
  /** Puts one more part behind those that have come. */
  append(artifact: ArtifactAction, part: number, bytes: Buffer): Promise<void>;
  /** Records the expected hash of the whole file, if the artifact has none. */
  expect(artifact: ArtifactAction, sha256: string): Promise<void>;
  /** Removes what has come of an artifact. */
  drop(artifact: ArtifactAction): Promise<void>;
  /** A file that the platform made there: the hash that was noted when it was made, and its size in bytes. */
  describe(path: string): Promise<{ sha256: string; size: number }>;
  read(path: string, part: number): Promise<Buffer>;
}

/** How a host is entered for the first time, marked as an infra's, and left. */
export interface HostAccess {
  /** Waits until a new machine lets us in and has finished its first boot. */
  firstContact(contact: FirstContactWatch): Promise<void>;
  /** Marks a machine that was there before as this infra's. Throws `host-managed-by-another`. */
  claim(): Promise<void>;
  /** Takes our mark off a machine that stays. Only our own: the host may have been taken over since. */
  leave(): Promise<void>;
  /** Reads who manages the host by its own account, and what was done there. Undefined where nothing of the kind is kept. */
  record(): Promise<Pick<HostRecord, 'mark' | 'services'> | undefined>;
  /** Fingerprint of the host's key that was pinned as it was shown, since nothing was known of it; answered once. */
  takeFirstSeen(): string | undefined;
  /** Ends the connections to a host that is gone or was switched off. */
  forget(): void;
}

export interface FirstContactWatch {
  /** Says what is waited for. */
  beat(what: string): void;
  /** The end of what the machine wrote to its console, where the provider keeps that. */
  console(): Promise<string | undefined>;
}
