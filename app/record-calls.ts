import { randomUUID } from 'node:crypto';
import { messageOf, ProvisioningError } from '../core/errors.js';
import { type AuditEvent, auditEvents } from '../stores/rows/audit-events.js';
import type { Rows } from '../stores/rows.js';
import { type AnyMethod, actionsOf, type Call, type Passage } from './method.js';

/** Characters of a resource's id that are recorded. */
const MOST_ID = 500;

/** Something that is recorded and is no call of a method: the redemption of a code. */
export type AuditNote = { class: 'access' } & Pick<AuditEvent, 'method' | 'outcome'> &
  Partial<Pick<AuditEvent, 'call' | 'actor' | 'action' | 'resource' | 'code'>>;

/** What records. Its `audit` and `refused` are steps of the pipeline. */
export interface CallRecords extends Required<Pick<Call, 'audit' | 'refused'>> {
  /** Records what is no call of a method. Throws the errors of the store: what must be recorded then fails. */
  note(event: AuditNote): Promise<void>;
  /** As `note`, for what strangers can cause at will. */
  noteOften(event: AuditNote): Promise<void>;
}

/**
 * Records the calls that change something: who asked for which method on what, and the outcome. Inputs are never recorded.
 * A call runs once its first record is on disk, and fails with the store's error if that cannot be written.
 *
 * @param rows opened at the first such call
 */
export function recordCalls(rows: () => Promise<Rows>): CallRecords {
  const append = async (event: AuditEvent) => (await rows()).log(auditEvents).append([event]);
  const note = ({ class: _, call = randomUUID(), actor = 'unknown', ...event }: AuditNote) =>
    append({ id: idOf(call, event.outcome), call, at: new Date().toISOString(), actor, ...event });
  return {
    note,
    noteOften: note,
    async audit(passage) {
      if (!mayChange(passage)) return async () => {};
      const call = randomUUID();
      await append(eventOf(passage, call, 'asked'));
      return (error) => append(eventOf(passage, call, error === undefined ? 'done' : 'failed', error));
    },
    async refused(passage, error) {
      if (!mayChange(passage)) return;
      // The caller gets the reason of the refusal, whether it could be recorded or not.
      await append(eventOf(passage, randomUUID(), 'refused', error)).catch((failure: unknown) =>
        console.error(`a refused call was not recorded: ${messageOf(failure)}`),
      );
    },
  };
}

const isRead = (action: string): boolean => action.endsWith(':read');

/** Before its action is known, a call may be any that its method has. */
function mayChange({ action, method }: Partial<Passage>): boolean {
  if (action !== undefined) return !isRead(action);
  return method !== undefined && !actionsOf(method).every(isRead);
}

const idOf = (call: string, outcome: AuditEvent['outcome']): string =>
  `${call}/${outcome === 'asked' || outcome === 'refused' ? outcome : 'ended'}`;

function eventOf(
  { caller, method, action, located }: Partial<Passage>,
  call: string,
  outcome: AuditEvent['outcome'],
  error?: unknown,
): AuditEvent {
  return {
    id: idOf(call, outcome),
    call,
    at: new Date().toISOString(),
    actor: (caller as Call).principal.actor,
    method: (method as AnyMethod).name,
    ...(action !== undefined && { action }),
    ...(located && { resource: `${located.type} ${located.id.slice(0, MOST_ID)}` }),
    outcome,
    // The code alone: texts of errors may repeat what was asked.
    ...(error !== undefined && { code: error instanceof ProvisioningError ? error.details.code : 'unexpected' }),
  };
}
