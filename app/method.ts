import type * as z from 'zod';
import type { AuditDoor } from '../stores/rows/audit-records.js';
import type { Engine } from './engine.js';
import type { LocatedResource, Principal, Resource } from './principal.js';

/** A call in the pipeline. Each step reads values that the steps before it have set. */
export interface Passage {
  readonly caller: Call;
  readonly method: AnyMethod;
  readonly signal?: AbortSignal | undefined;
  /**
   * The unchanged input. A schema would return its keys in another order, and the hash of its text would change. Only
   * the names of a tenant's workspaces are translated (app/tenant/enter-tenant.ts).
   */
  input: unknown;
  /** Idempotency key of the caller: a second call with the same key is not run again. */
  readonly key?: string | undefined;
  /** Set by `locate`. */
  action: string;
  located: LocatedResource;
  /** Set by `authorize` if it refuses the call: the reason for the record. The caller may get another reason. */
  denied?: Error;
  /** Set by `run`: the single answer of a call, or the events of a stream. */
  answers: AsyncIterable<unknown>;
  /** The answer of a call, once it was answered. */
  answer?: unknown;
  /** Set by `repeat` for a call with a key: the hash from which the ids of its work follow. */
  seed?: string;
  /** Set by `repeat`: stores the answer for a second call. */
  keep?(answers: AsyncIterable<unknown>): AsyncIterable<unknown>;
  /** Set by `repeat`: frees the key of a call that failed. */
  release?: ((error: unknown) => Promise<void>) | undefined;
  /** The versions of the resource that the caller lets the call run for; `*`: any. */
  readonly expected?: readonly string[] | undefined;
  /** Receives the version of the resource that a call reads. */
  onVersion?: ((version: string) => void) | undefined;
  /** Set by `condition`: unlocks the resource that the call changes. */
  letGo?(): Promise<void>;
  /** Set by `quota`: releases the claims of a failed call. */
  giveBack?(error: unknown): Promise<void>;
  /** Set by `audit`: notes the outcome, undefined after success. */
  ended?(error?: unknown): Promise<void>;
}

type Action = `${string}:${string}`;

/** Caller of a method, and the services that answer it. */
export interface Call {
  engine: Engine;
  principal: Principal;
  /** The way that calls come, for their records. */
  door?: { kind: AuditDoor; address?: string | undefined };
  /** Whether answers are validated by their schemas too, as in tests. */
  checksAnswers?: boolean;
  /** Answers a call that came before under the same key; absent: keys have no effect. */
  repeat?(passage: Passage): Promise<void>;
  /** Refuses changes in a frozen place; absent: nothing is frozen. @throws inputError `frozen` */
  refuseFrozen?(passage: Passage): Promise<void>;
  /** Counts a call; absent: there are no quotas. @throws an error that refuses the call */
  quota?(passage: Passage): void | Promise<void>;
  /** Records a call that is refused before it runs; absent: nothing is recorded. */
  refused?(passage: Partial<Passage>, error: unknown): Promise<void>;
  /** Records a call before it runs; absent: nothing is recorded. Returns a function that records its outcome. */
  audit?(passage: Passage): Promise<(error?: unknown) => Promise<void>>;
}

/** A call of the platform, declared once. Doors, the typed client and the list of permissions are derived from it. */
interface Declaration<Input extends z.ZodType, Output extends z.ZodType> {
  /** `operations.cancel`: its group and its verb. */
  name: `${string}.${string}`;
  /** Effect of the method, as one sentence without its full stop. */
  summary: string;
  /** Validates the input without changing it: no defaults, no transforms. */
  input: Input;
  /** The answer, or each event of a stream. */
  output: Output;
  permission: {
    /** `operation:cancel`; `…:read` changes nothing. A function chooses one of `actions` by the input. */
    action: Action | ((input: z.output<Input>) => Action);
    /** All actions that a function may choose. */
    actions?: readonly Action[];
    resource: (input: z.output<Input>) => Resource;
  };
  /** Codes of its errors, in addition to those of every call (`COMMON_ERRORS`). */
  errors: readonly string[];
  /** The resource that it reads, if that can be edited: callers receive its version. */
  reads?: Editable<z.output<Input>>;
  /** The resource that it changes, if a caller can expect a version. */
  edits?: Editable<z.output<Input>>;
  /** Its place in the REST API, if the place that follows from its name and action is not wanted (api/routes/derive-place.ts). */
  rest?: RestPlace;
  /**
   * Refuses too large parts before they are read, if the method accepts more than the usual size of a request.
   *
   * @throws inputError `too-large`
   */
  weigh?(input: unknown): void;
}

/** A resource of which some methods tell the version, and others change it only if it has the version that is expected. */
// biome-ignore lint/suspicious/noExplicitAny: the steps of the pipeline know no input
export interface Editable<Input = any> {
  /** Names it among all resources: `quota default`. */
  resource(input: Input): string;
  /** Another text after each change; undefined: it is not there. */
  version(call: Call, input: Input): Promise<string | undefined>;
}

/** An HTTP verb, and a path below `/v1` whose parameters are required texts of the input: `/secrets/{name}`. */
export interface RestPlace {
  verb: 'DELETE' | 'GET' | 'POST' | 'PUT';
  path: string;
}

/** How the pages of a list are put together. */
export interface Pages {
  /** The field that identifies items; absent: items are in one page only. */
  key?: string;
  /** Default limit of items; absent: all. */
  first?: number;
  /** Fields of a page beside its items, each a list. The client returns an object with the items and these fields. */
  beside?: readonly string[];
}

export interface CallMethod<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType>
  extends Declaration<Input, Output> {
  kind: 'call';
  /** Set by `list`: the answer is a page, `{ items, next? }`. */
  pages?: Pages;
  /**
   * Returns the id of the work that the input starts, and its answer, if the id is known before the start. A repeated
   * call with the same key gets this answer if the first call was interrupted and its work exists. `read` finds the
   * answer in the started work.
   *
   * @param seed of `run`
   */
  startedBefore?(
    input: z.output<Input>,
    seed: string,
  ): { id: string } & ({ answer: z.output<Output> } | { read(call: Call): Promise<z.output<Output>> });
  /** A repetition continues a call that was cut, or changes nothing: with the same key, the method runs again. */
  repeatable?: true;
  /**
   * @param options `signal` ends the wait of a method that waits. Ids of started work follow from `seed` if the input
   * has no id. `located` is the resource of the call. Most methods read none of these options
   */
  run(
    call: Call,
    input: z.output<Input>,
    options: { signal?: AbortSignal; seed?: string | undefined; located?: LocatedResource | undefined },
  ): Promise<z.output<Output>>;
}

export interface StreamMethod<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType>
  extends Declaration<Input, Output> {
  kind: 'stream';
  run(call: Call, input: z.output<Input>, options: { signal?: AbortSignal }): AsyncIterable<z.output<Output>>;
}

// biome-ignore lint/suspicious/noExplicitAny: the table holds methods of many inputs
export type AnyMethod = CallMethod<any, any> | StreamMethod<any, any>;

/** Returns the possible actions of a method: one, or the ones that its input chooses from. */
export const actionsOf = ({ permission: { action, actions } }: AnyMethod): readonly string[] =>
  typeof action === 'string' ? [action] : (actions ?? []);

/** Input that a caller passes to a method. */
export type InputOf<M extends { input: z.ZodType }> = z.input<M['input']>;
/** Answer of a method, or each event of its stream. */
export type OutputOf<M extends { output: z.ZodType }> = z.output<M['output']>;

/** Errors for a caller that may not read a resource: the same as for a resource that does not exist. */
export const HIDDEN_ERRORS = [
  'unknown-environment',
  'unknown-infra',
  'unknown-operation',
  'unknown-provider',
  'unknown-secret',
  'unknown-server',
  'unknown-service-account',
  'unknown-token',
  'unknown-workspace',
] as const;

/** Failures of every call: no engine answers, the call is not understood, is too large, or is not allowed. */
export const COMMON_ERRORS = [
  'bad-call',
  'bad-request',
  'engine-not-answering',
  'engine-not-running',
  'forbidden',
  'frozen',
  'idempotency-answer-not-kept',
  'idempotency-key-in-use',
  'idempotency-key-refused',
  'idempotency-key-reused',
  'idempotency-outcome-unknown',
  'no-worker',
  'not-for-tenants',
  'precondition-failed',
  'quota-exceeded',
  'resource-busy',
  'too-large',
  'unknown-call',
  ...HIDDEN_ERRORS,
] as const;

/** Declares a method that is answered once. */
export const method = <Input extends z.ZodType, Output extends z.ZodType>(
  declared: Omit<CallMethod<Input, Output>, 'kind'>,
): CallMethod<Input, Output> => ({ kind: 'call', ...declared });

/** Declares a method that answers with events until it ends. */
export const stream = <Input extends z.ZodType, Output extends z.ZodType>(
  declared: Omit<StreamMethod<Input, Output>, 'kind'>,
): StreamMethod<Input, Output> => ({ kind: 'stream', ...declared });
