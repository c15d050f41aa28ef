import { changeAction as findChangeAction } from '../../core/access/change-action.js';
import type { Bundle } from '../../core/definition/bundle.js';
import { checkDefinition, checkRequest } from '../../core/definition/weight.js';
import { inputError, ProvisioningError } from '../../core/errors.js';
import { addressOf } from '../../core/infra/definition-log.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { checkNoPreviewId } from '../../core/operation-id.js';
import { readBundle } from '../bundle/bundle-store.js';
import type { Engine } from '../engine.js';
import { recordSubmission } from '../limits/environments/find-environments.js';
import { drawOperationId } from '../limits/key-of-call.js';
import type { Call } from '../method.js';
import { type Resource, signRequest } from '../principal.js';
import { startOperation } from './start.js';

/** A request without its caller, who is known by the transport of the call. */
export type AskedOperation = Omit<OperationRequest, 'actor' | 'principal'> & { actor?: string };
/** The same, with an optional id, which the platform may choose. */
export type WishedOperation = Omit<AskedOperation, 'id'> & { id?: string };

/**
 * Returns a request with an id.
 *
 * @param seed source of an absent id; absent: the id is random
 */
export const chooseId = (request: WishedOperation, seed?: string): AskedOperation => ({
  ...request,
  id: request.id ?? drawOperationId(request.kind, request.intent.verb, request.infra, seed),
});

/** The actions that submitting an operation may be. */
export const SUBMIT_ACTIONS = ['operation:apply', 'operation:delete', 'operation:preview', 'operation:rollback'] as const;
/** Actions of an operation that changes something. */
export const CHANGE_ACTIONS = ['operation:apply', 'operation:delete', 'operation:rollback'] as const;

/** Returns the permitted action that submitting a request stands for. */
export function submitAction({ check, intent }: Pick<AskedOperation, 'check' | 'intent'>): (typeof SUBMIT_ACTIONS)[number] {
  return check ? 'operation:preview' : changeAction({ intent });
}

/** Returns the action that carrying out a request stands for. */
export const changeAction = ({ intent }: Pick<AskedOperation, 'intent'>): (typeof CHANGE_ACTIONS)[number] =>
  findChangeAction(intent.verb);

/** The infra of a request, and whether the request may destroy there. */
export const infraOf = ({ workspace, infra, intent, allowDestroy }: Omit<AskedOperation, 'id'>): Resource => ({
  type: 'Infra',
  id: `${workspace}/${infra}`,
  ...((intent.verb === 'delete' || (allowDestroy !== undefined && allowDestroy !== false)) && { destroys: true }),
});

/** Refuses a call whose request, or the definition in it, is too large. @throws inputError `too-large` */
export function weighAsked(input: unknown): void {
  const { request } = (input ?? {}) as { request?: Partial<OperationRequest> };
  const on = String(request?.id ?? '').slice(0, 80);
  checkRequest(request, 'submit the operation', on);
  if (request?.definition !== undefined) checkDefinition(request.definition, 'submit the operation', on);
}

/** The codes that `submitAsked` fails with. */
export const SUBMIT_ERRORS = ['bad-bundle', 'operation-exists', 'preview-id', 'this-host-not-allowed', 'unknown-bundle'] as const;

/**
 * Starts an operation in the name of the caller.
 *
 * @throws inputError `SUBMIT_ERRORS`; unreachableError `no-worker`, `engine-not-answering`
 */
export async function submitAsked(
  { engine, principal }: Pick<Call, 'engine' | 'principal'>,
  request: AskedOperation,
  { queue }: { queue?: boolean | undefined } = {},
): Promise<{ operation: string; queued?: true }> {
  if (!request.check) checkNoPreviewId(request.id, 'submit the operation');
  const bundle = request.bundle === undefined ? undefined : await checkBundle(engine, request, request.bundle);
  // A request that names no environment leaves its infra where it is; files that name none bring it into none.
  const environment = bundle === undefined ? request.environment : bundle.environment;
  if (bundle !== undefined || environment !== undefined) {
    // Before the start: a freeze of the environment holds the first step.
    const rows = request.check ? undefined : await engine.stores.rows?.();
    const hint = queue && bundle === undefined ? 'omit --env, or start a worker' : undefined;
    if (rows) await recordSubmission(engine, rows, request, environment).catch((error) => throwWithHint(error, hint));
  }
  return startOperation(engine, { ...request, ...signRequest(principal) }, queue === undefined ? {} : { queue });
}

/** Codes of an infra that does not answer, such as without a worker: its present environment is not known. */
const NOT_ANSWERING: ReadonlySet<string> = new Set(['engine-not-answering', 'no-worker']);

/** Rethrows an error; that of an infra that does not answer with another hint, if one is given. */
function throwWithHint(error: unknown, hint: string | undefined): never {
  if (hint === undefined || !(error instanceof ProvisioningError) || !NOT_ANSWERING.has(error.details.code)) throw error;
  throw new ProvisioningError({ ...error.details, hint }, { cause: error });
}

/**
 * Checks that the recorded source of a definition was stored for this definition by its resolver. Nothing is evaluated
 * here.
 */
async function checkBundle(
  { stores }: Engine,
  { id, workspace, infra, definition, environment }: AskedOperation,
  address: string,
): Promise<Bundle> {
  const bundle = await readBundle(stores.blobs, { workspace, infra }, address);
  const isOwn = definition !== undefined && addressOf(definition) === bundle.definition;
  if (isOwn && (environment === undefined || environment === bundle.environment)) return bundle;
  const why = `the bundle belongs to another ${isOwn ? 'environment' : 'definition'}`;
  throw inputError({ code: 'bad-bundle', what: 'submit the operation', on: id, why });
}
