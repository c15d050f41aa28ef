import * as z from 'zod';
import type { Definition } from '../../core/definition/definition.js';
import type { RanOnHost } from '../../core/host/ran-command.js';
import type { Step } from '../../core/host/step.js';
import type { FileDiff } from '../../core/host/step-change.js';
import { OPERATION_KINDS } from '../../core/names.js';
import { type ControlEntry, QUESTIONS } from '../../core/operation/control.js';
import type {
  Cell,
  Failure,
  Holder,
  OperationKind,
  OperationRequest,
  OperationResult,
  OperationStatus,
  Progress,
  ServiceState,
  Waiter,
} from '../../core/operation/operation.js';
import type { Compensation, UndoOutcome } from '../../core/operation/to-undo.js';
import type { PlanChange } from '../../core/plan/plan-changes.js';
import type { DataChange, PlannedStep } from '../../core/plan/planned-step.js';
import { requests } from '../../core/schema/requests.js';
import { groupStatus } from './host-status.js';
import { time } from './ids.js';
import { typeSchema } from './typed.js';

const text = z.string();
export const kind = z.enum(OPERATION_KINDS) satisfies z.ZodType<OperationKind>;
export const status = z.enum([
  ...['queued', 'running', 'waiting', 'paused'],
  ...['done', 'failed', 'rolled-back', 'canceled', 'superseded'],
] as [OperationStatus, ...OperationStatus[]]);

/** A definition after loading. */
export const definition = typeSchema<Definition>()(requests.definition);
/** Request that starts an operation. */
export const operationRequest = typeSchema<Omit<OperationRequest, 'principal'>>()(requests.operation.omit({ principal: true }));
/** The same without the caller, who is known by the transport of the call. */
export const askedOperation = typeSchema<Omit<OperationRequest, 'actor' | 'id' | 'principal'> & { actor?: string; id?: string }>()(
  requests.operation.omit({ principal: true }).extend({
    actor: requests.operation.shape.actor.optional(),
    id: requests.operation.shape.id
      .optional()
      .describe('Id of the operation; default: an id that follows from the key of the call, or a random one'),
  }),
);

/** The same for one that changes something. */
export const appliedOperation = typeSchema<Omit<OperationRequest, 'actor' | 'check' | 'diff' | 'principal'> & { actor?: string }>()(
  requests.operation
    .omit({ check: true, diff: true, principal: true })
    .extend({ actor: requests.operation.shape.actor.optional() }),
);

export const fileDiff = z.strictObject({
  lines: z.array(text),
  added: z.int(),
  removed: z.int(),
  more: z.int().optional(),
  hidden: z.literal(true).optional(),
}) satisfies z.ZodType<FileDiff>;
const machine = z.enum(['create', 'adopt', 'update', 'replace', 'delete', 'release']);
const change = z.enum(['add', 'change', 'remove', 'restart', 'interrupt', 'check']);
const dataChange = typeSchema<DataChange>()(
  z.strictObject({
    is: z
      .enum(['begins', 'lost', 'stays', 'moves'])
      .describe('Effect on the data: the service starts empty, its server is recreated, the service is removed, or the data moves'),
    paths: z.array(text).describe('Paths of the data on the host'),
    leftOn: z.array(text).optional().describe('Servers that keep the former data'),
  }),
);
const plannedStep = typeSchema<PlannedStep>()(
  z.strictObject({
    on: text.describe('Server, or network/NAME'),
    taskserv: text.optional(),
    for: text.optional().describe('Server that leaves a group, or that a load balancer drains, by this step'),
    title: text,
    machine: machine.optional(),
    destructive: z.boolean().optional().describe('Destroys a server or a volume, or abandons the data of a service'),
    data: dataChange.optional().describe('Effect on the data of the service'),
    expected: z.boolean().optional().describe('Decided without facts of the host, because the host does not exist yet'),
    // A step is data of the taskserv that planned it: core/host/step.ts has its kinds.
    step: z.custom<Step>().optional(),
    change: change.optional(),
    diff: fileDiff.optional(),
    attributes: z.array(text).optional(),
    repair: z.literal(true).optional().describe('Repair of drift, without a change of the definition'),
    found: text.optional().describe('Digest of the replaced file, if it may be shown'),
    does: text.optional().describe('Digest of the step'),
    wants: text.optional().describe('Digest of the requested machine or network'),
  }),
);
const service = typeSchema<ServiceState>()(
  z.strictObject({ server: text, taskserv: text, version: text, healthy: z.boolean(), why: text.optional() }),
);
const failure = typeSchema<Failure>()(
  z.strictObject({
    step: text,
    on: text,
    why: text,
    hint: text.optional(),
    code: text.optional().describe('Stable error code'),
    exitCode: z.union([z.literal(1), z.literal(2), z.literal(3)]).optional(),
    outOfPatience: z.literal(true).optional().describe('The time limit of the work was exceeded'),
  }),
);
const did = z.enum([
  ...(['paused', 'resumed', 'approved', 'rejected', 'retried', 'retried-with-input'] as const),
  ...(['skipped', 'rollback', 'keep', 'cancel', 'force'] as const),
]) satisfies z.ZodType<ControlEntry['did']>;
export const controlEntry = typeSchema<ControlEntry>()(
  z.strictObject({
    at: time,
    actor: text,
    did,
    why: text.optional(),
    step: text.optional(),
    on: text.optional(),
    freeze: text.optional(),
  }),
);

const planChange = typeSchema<PlanChange>()(
  z.strictObject({
    is: z.enum(['new', 'gone', 'different']),
    on: text,
    taskserv: text.optional(),
    title: text,
    machine: machine.optional(),
    change: change.optional(),
    destructive: z.boolean().optional(),
    why: text.optional(),
  }),
);

const undoOutcome = typeSchema<UndoOutcome>()(
  z.strictObject({
    on: text,
    outcome: z.enum(['undone', 'nothing-to-undo', 'cannot-be-undone', 'stays']),
    why: text.optional().describe('Reason why it cannot be undone'),
  }),
);

const ranOnHost = typeSchema<RanOnHost>()(
  z.strictObject({
    on: text,
    taskserv: text,
    entry: text.describe('Name in the definition'),
    command: text.describe('Output, masked and shortened'),
    exit: z.int().optional().describe('Absent if the command was stopped'),
    result: z.enum(['satisfied', 'not satisfied', 'answered', 'no answer']),
  }),
);

const result = z.strictObject({
  operation: text,
  kind,
  workspace: text,
  infra: text,
  status,
  steps: z.strictObject({ executed: z.int(), planned: z.int() }),
  services: z.array(service),
  plan: z.array(plannedStep).describe('Completed steps in order; with check, planned steps'),
  planHash: text.optional().describe('Hash of the plan, if it was approved or given'),
  planChanges: z.array(planChange).optional().describe('Changes since the given plan was created'),
  supersededBy: z.strictObject({ operation: text, submitted: time }).optional(),
  control: z.array(controlEntry).describe('Actions of people with their reasons, in order'),
  notes: z.array(z.strictObject({ on: text, text })).optional(),
  ran: z.array(ranOnHost).optional().describe('Commands of the definition that the preview ran on hosts'),
  groups: z
    .array(groupStatus.extend({ taskserv: text }))
    .optional()
    .describe('Services that are a group, as seen before the plan'),
  skipped: z.array(z.strictObject({ on: text, why: text })).optional(),
  error: failure.optional(),
  left: z.array(text).optional().describe('Names of resources that a failed or stopped operation left'),
  outcomes: z.array(undoOutcome).optional().describe('Result for each rolled-back change'),
  // Roll-back data, read only by the platform: core/operation/operation.ts.
  compensations: z.array(z.custom<Compensation>()).optional(),
  settings: requests.operation.shape.settings.describe('Effective settings at the time of the request'),
  of: text.optional().describe('For a roll-back: the operation that it rolls back'),
});
/** How an operation ended. */
export const operationResult = typeSchema<OperationResult>()(result);

const cell = typeSchema<Cell>()(
  z.strictObject({
    server: text,
    taskserv: text.optional(),
    state: z.enum(['pending', 'running', 'done', 'unchanged', 'failed', 'skipped', 'undone']),
    step: text.optional().describe('Current or last step'),
    done: z.int().optional(),
    total: z.int().optional(),
    again: z
      .strictObject({ attempt: z.int(), until: time.optional(), why: text })
      .optional()
      .describe('Reason for the retry, after more than one failure'),
  }),
);
/** State of an operation. */
export const progress = typeSchema<Progress>()(
  result.extend({
    waiting: text.optional(),
    question: z.enum(QUESTIONS).optional(),
    undoes: z.array(text).optional().describe('Changes that a roll-back would undo, newest first, if a roll-back is possible'),
    cells: z.array(cell),
  }),
);

/** One row in a list of operations. */
export const operationSummary = z.strictObject({
  operation: text,
  kind,
  infra: text,
  status,
  started: time,
  ended: time.optional(),
  actor: text,
  waiting: text.optional().describe('Description of the pending event'),
});
export type OperationSummary = z.output<typeof operationSummary>;

const cursor = text.optional().describe('Pass it as `after` to continue the stream after this event; absent from a former worker');
/** Event of a followed operation. The last event is `end`, or `waiting` if a person is needed. */
export const operationEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('progress'), cursor, progress }),
  z.strictObject({ type: z.literal('waiting'), cursor, progress }),
  z.strictObject({ type: z.literal('end'), cursor, result: operationResult }),
]);
export type OperationEvent = z.output<typeof operationEvent>;

/** One piece of a log: output of an operation's unit on its host. */
export const logEntry = z.strictObject({ server: text, taskserv: text, text });
export type LogEntry = z.output<typeof logEntry>;

const lockRequest = {
  operation: text,
  kind,
  resources: z.array(text).describe('server/NAME, only for this server; * conflicts with everything'),
  actor: text,
  priority: z.int().optional(),
  flow: text.optional(),
  submitted: time.optional(),
  batch: text.optional(),
  applies: text.optional().describe('Content address of the definition to apply, which is stored with its batch'),
  undoes: text.optional().describe('Operation to roll back'),
  needs: z
    .strictObject({
      servers: z.array(text).optional(),
      taskservs: z.array(text).optional(),
      peers: z.boolean().optional(),
      networks: z.array(text).optional(),
      drains: z.array(text).optional(),
      definition: z.boolean().optional(),
      own: text.optional(),
      complete: z.boolean().optional(),
      restores: text.optional(),
    })
    .optional(),
};
const holder = typeSchema<Holder>()(z.strictObject({ ...lockRequest, grant: z.int(), since: time }));
const waiter = typeSchema<Waiter>()(
  z.strictObject({
    ...lockRequest,
    since: time,
    blockedBy: z.array(z.strictObject({ operation: text, resource: text, since: time, waits: z.literal(true).optional() })),
    outage: z.strictObject({ since: time, why: text }).optional().describe('Reason why the infra admits no operation'),
  }),
);
/** Holders of locks on an infra's resources, and their waiters. */
export const locks = z.strictObject({ holders: z.array(holder), waiters: z.array(waiter) });
