import { randomUUID } from 'node:crypto';
import { messageOf, ProvisioningError } from '../core/errors.js';
import { type AuditWriter, createAuditWriter } from '../stores/audit/audit-writer.js';
import { createWriterName } from '../stores/audit/chain.js';
import { keepHeads } from '../stores/audit/heads.js';
import { createIdentities } from '../stores/audit/identities.js';
import { dropExpired } from '../stores/audit/retention.js';
import { type AuditRow, auditRecords } from '../stores/rows/audit-records.js';
import type { RowLog, Rows } from '../stores/rows.js';
import { findClass, isRead } from './audit/class-of.js';
import { createRecordCounter } from './audit/count-records.js';
import type { Draft } from './audit/drafts.js';
import { recordInput } from './audit/recorded-input.js';
import { type AnyMethod, actionsOf, type Call, type Passage } from './method.js';

/** Characters of a resource's id that are recorded. */
const MOST_ID = 500;
/** Time from the first record to the first deletion of old records, in milliseconds. Later deletions run once a day. */
const FIRST_DROP_MS = 60_000;
const DROP_MS = 86_400_000;

/** Something that is recorded and is no call of a method: a sign-in, the redemption of a code. */
export type AuditNote = Pick<Draft, 'class' | 'method' | 'outcome'> &
  Partial<
    Pick<Draft, 'actor' | 'address' | 'door' | 'call' | 'action' | 'resource' | 'decision' | 'reason' | 'code' | 'operation'>
  >;

/** Recorder of calls. Its `audit` and `refused` are steps of the pipeline. */
export interface CallRecords extends Required<Pick<Call, 'audit' | 'refused'>> {
  /**
   * Records an event that is not a call of a method. Throws the errors of the store: an event that must be recorded
   * then fails.
   */
  note(event: AuditNote): Promise<void>;
  /**
   * As `note`, but equal events within a minute become a second record with their number. For events that strangers
   * can cause at will.
   */
  noteOften(event: AuditNote): Promise<void>;
  /** Writes the counts. Rows must still be open. */
  close(): Promise<void>;
}

export interface RecordOptions {
  /** The folder outside of the database that gets the ends of chains; absent: nothing gets them. */
  heads?: string;
  /** Whether this process deletes records after their retention period. */
  drops?: boolean;
  /** Receives a line about each event that could not be recorded. */
  log?(line: string): void;
}

/**
 * Creates a recorder of calls: caller, method, door, resource, decision and outcome. A call that may change something
 * runs once its first record is on disk, and fails with the store's error if the record cannot be written. Reads are
 * counted: equal calls of one caller and method within a minute are one record.
 *
 * @param rows opened at the first record
 */
export function recordCalls(
  rows: () => Promise<Rows>,
  { heads: folder, drops = false, log = console.error }: RecordOptions = {},
): CallRecords {
  const heads = folder === undefined ? undefined : keepHeads(folder, createWriterName(), log);
  const openOnce = openLogOnce(rows);
  const writer = createAuditWriter(openOnce, (ends) => heads?.note(ends));
  const identityOf = createIdentities(rows);
  const dropping = drops ? dropDaily(openOnce, writer, log) : undefined;

  async function write(drafts: readonly Draft[]): Promise<void> {
    if (drafts.length === 0) return;
    const records = await Promise.all(
      drafts.map(async ({ actor, address, salt, ...entry }) => ({
        entry: {
          ...entry,
          ...(actor !== undefined && { who: await identityOf('principal', actor) }),
          ...(address !== undefined && { from: await identityOf('address', address) }),
        },
        ...(salt !== undefined && { salt }),
      })),
    );
    await writer.append(records);
    dropping?.begin();
  }

  const counter = createRecordCounter(write, log);
  const draftNote = (event: AuditNote): Draft => ({ at: new Date().toISOString(), call: randomUUID(), ...event });

  return {
    async audit(passage) {
      const { action } = passage;
      const draft: Draft = {
        ...describe(passage),
        class: findClass(action),
        decision: 'allowed',
        reason: findRight(passage),
        outcome: 'read',
      };
      if (isRead(action)) {
        counter.count(draft);
        return async () => {};
      }
      const asked = { ...draft, outcome: 'asked' as const, ...recordInput(passage.method, passage.input) };
      await write([asked]);
      return async (error) => {
        const { input: _, salt: __, ...same } = asked;
        const ended = { ...same, at: new Date().toISOString(), ...findOperation(passage) };
        await write([error === undefined ? { ...ended, outcome: 'done' } : { ...ended, outcome: 'failed', code: readCode(error) }]);
      };
    },
    async refused(passage, error) {
      const isChange = mayChange(passage);
      // A read that is refused without a denial, such as for a wrong name, is no evidence about rights.
      if (!isChange && !passage.denied) return;
      const code = readCode(error);
      const draft: Draft = { ...describe(passage), class: 'access', decision: 'denied', reason: code, outcome: 'refused', code };
      const recorded = isChange
        ? write([{ ...draft, ...recordInput(passage.method as AnyMethod, passage.input) }])
        : counter.countFurther(draft);
      // The caller gets the reason of the refusal, whether it could be recorded or not.
      await recorded.catch((failure: unknown) => log(`a refused call was not recorded: ${messageOf(failure)}`));
    },
    note: (event) => write([draftNote(event)]),
    noteOften: (event) => counter.countFurther(draftNote(event)),
    async close() {
      dropping?.stop();
      await counter.flush();
      await heads?.close();
    },
  };
}

/** The log of the chains, opened at the first call and after each failure. */
function openLogOnce(rows: () => Promise<Rows>): () => Promise<RowLog<AuditRow>> {
  let opening: Promise<RowLog<AuditRow>> | undefined;
  return () => {
    opening ??= rows()
      .then((opened) => opened.log(auditRecords))
      .catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
    return opening;
  };
}

/** Deletes old records once something was recorded: a process that records nothing opens no rows. */
function dropDaily(openLog: () => Promise<Parameters<typeof dropExpired>[0]>, writer: AuditWriter, log: (line: string) => void) {
  let timer: NodeJS.Timeout | undefined;
  const drop = async () => {
    timer = setTimeout(() => void drop(), DROP_MS).unref();
    try {
      await dropExpired(await openLog(), writer);
    } catch (error) {
      log(`old audit records were not deleted: ${messageOf(error)}`);
    }
  };
  return {
    begin() {
      timer ??= setTimeout(() => void drop(), FIRST_DROP_MS).unref();
    },
    stop: () => clearTimeout(timer),
  };
}

/** Before its action is known, a call may be any that its method has. */
function mayChange({ action, method }: Partial<Passage>): boolean {
  if (action !== undefined) return !isRead(action);
  return method !== undefined && !actionsOf(method).every(isRead);
}

type CallDescription = Pick<Draft, 'at' | 'call' | 'actor' | 'door' | 'address' | 'method' | 'action' | 'resource'>;

function describe({ caller, method, action, located }: Partial<Passage>): CallDescription {
  const { principal, door } = caller as Call;
  return {
    at: new Date().toISOString(),
    call: randomUUID(),
    actor: principal.actor,
    ...(door && { door: door.kind, ...(door.address !== undefined && { address: door.address }) }),
    method: (method as AnyMethod).name,
    ...(action !== undefined && { action }),
    ...(located && { resource: `${located.type} ${located.id.slice(0, MOST_ID)}` }),
  };
}

/** Returns the right that allowed a call. */
const findRight = ({ caller: { principal } }: Passage): string =>
  principal.owner ? 'owner' : principal.actor.startsWith('service-account:') ? 'role' : 'group';

function findOperation({ answer, input }: Passage): { operation?: string } {
  const named = [answer, input].map((one) => (one as { operation?: unknown } | null | undefined)?.operation);
  const operation = named.find((one) => typeof one === 'string') as string | undefined;
  return operation === undefined ? {} : { operation: operation.slice(0, MOST_ID) };
}

/** Returns only the code: messages of errors may repeat the input. */
const readCode = (error: unknown): string => (error instanceof ProvisioningError ? error.details.code : 'unexpected');
