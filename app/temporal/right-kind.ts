import { QueryNotRegisteredError, type Client as Temporal } from '@temporalio/client';
import { inputError, ProvisioningError } from '../../core/errors.js';
import { OPERATION_KINDS } from '../../core/names.js';
import { createWorkflowMap, type ExpiringMap } from './expiring-map.js';
import { translateFault } from './fault.js';

/** Expected kind of an id. */
export type Thing = 'operation' | 'batch';

/**
 * Rejects a message for an operation that would go to a batch, and the reverse. Both accept some messages of the same
 * name, with different meanings.
 *
 * @throws inputError `unknown-operation`
 */
export async function checkKind(temporal: Temporal, id: string, thing: Thing, what: string): Promise<void> {
  const type = await typeOf(temporal, id, thing);
  if (thing === 'batch' ? type !== 'batch' : type === 'batch' || type === 'infra') throw otherKind(type, id, what);
}

// By the client of Temporal.
const types = new WeakMap<Temporal, ExpiringMap<string>>();

/** Keeps the type of a workflow that was described, for `checkResultKind`. */
export function rememberType(temporal: Temporal, id: string, type: string): void {
  const known = types.get(temporal) ?? createWorkflowMap<string>();
  types.set(temporal, known);
  known.keep(id, type);
}

/**
 * Refuses to wait for the end of another kind of workflow: its result has another form.
 *
 * @throws inputError `unknown-operation`, and Temporal's error for an unknown id
 */
export async function checkResultKind(temporal: Temporal, id: string, thing: Thing): Promise<void> {
  // Once for a workflow: followers that come and go do not have it described again.
  const type = types.get(temporal)?.get(id) ?? (await temporal.workflow.getHandle(id).describe()).type;
  rememberType(temporal, id, type);
  const kinds: readonly string[] = thing === 'batch' ? ['batch'] : OPERATION_KINDS;
  if (!kinds.includes(type)) throw otherKind(type, id, `wait for the ${thing}`);
}

/** Translates Temporal's error about a query, also if the id belongs to something else. */
export async function explainWrongKind(temporal: Temporal, error: unknown, id: string, thing: Thing): Promise<Error> {
  if (!(error instanceof QueryNotRegisteredError) || id === '') return translateFault(error, id, thing);
  const found = await temporal.workflow
    .getHandle(id)
    .describe()
    .catch(() => undefined);
  // A worker without the key refuses the query, and this process cannot open the summary either.
  const fault = await found?.staticSummary().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (fault instanceof ProvisioningError) return fault;
  const type = found?.type ?? '';
  return type === '' ? translateFault(error, id, thing) : otherKind(type, id, `ask the ${thing}`);
}

async function typeOf(temporal: Temporal, id: string, thing: Thing): Promise<string> {
  try {
    return (await temporal.workflow.getHandle(id).describe()).type;
  } catch (error) {
    throw translateFault(error, id, thing);
  }
}

function otherKind(type: string, on: string, what: string): Error {
  const code = 'unknown-operation';
  if (type === 'batch') return inputError({ code, what, on, why: 'it is a batch', hint: `provisioning batch status ${on}` });
  if (type === 'infra') {
    const hint = `provisioning cluster status ${on.split('/').at(-1)}`;
    return inputError({ code, what, on, why: 'it is the entity of an infra', hint });
  }
  const ours = (OPERATION_KINDS as readonly string[]).includes(type);
  if (!ours)
    return inputError({ code, what, on, why: `it is a workflow of another type: ${type}`, hint: 'provisioning workflow list' });
  return inputError({ code, what, on, why: 'it is an operation, not a batch', hint: `provisioning workflow status ${on}` });
}
