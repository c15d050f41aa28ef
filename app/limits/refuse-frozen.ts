import { inputError } from '../../core/errors.js';
import type { Freeze } from '../../stores/rows/freezes.js';
import type { Rows } from '../../stores/rows.js';
import { HOME_TENANT } from '../access/service-accounts.js';
import type { Engine } from '../engine.js';
import { locate } from '../locate.js';
import type { Passage } from '../method.js';
import type { Resource } from '../principal.js';
import { listBatchPlaces } from './batch-places.js';
import { findEnvironments, readBundleEnvironment } from './environments/find-environments.js';
import { readFrozenEnvironment } from './environments/frozen-environment.js';
import { covers, coversPart, describePlace, readFreezes } from './freezes.js';
import { continuesUndo, isUndoFreeze } from './undo-freezes.js';

/**
 * Actions that a freeze accepts. They only read, stop running work, or concern the platform and its users. Every other
 * action is refused, so a new action is refused until it is listed here.
 */
export const PASSES_FREEZE: ReadonlySet<string> = new Set([
  ...['infra:read-key', 'operation:read-logs', 'application:read-logs'],
  ...['infra:refresh', 'infra:status', 'operation:preview'],
  ...['operation:cancel', 'operation:pause', 'operation:force', 'batch:cancel'],
  ...['freeze:create', 'freeze:delete', 'quota:set', 'quota:remove'],
  ...['backup:create', 'backup:sweep', 'backup:use-path', 'encryption:rewrap', 'encryption:rotate', 'fleet:promote'],
  ...[
    'audit:erase',
    'role:bind',
    'role:unbind',
    'service-account:create',
    'service-account:delete',
    'token:create',
    'token:revoke',
  ],
  ...[
    'secret:reveal',
    'server:login',
    'setting:set',
    'setting:set-engine',
    'tenant:create',
    'workspace:export',
    'workspace:register',
  ],
]);

/** Infras of a batch whose environments are asked for at a time. */
const AT_ONCE = 10;

/**
 * Creates a function that refuses changes in a frozen place, for every caller.
 *
 * @param rows opened at the first call that changes something
 */
export function refuseFrozen(rows: () => Promise<Rows>) {
  /** @throws inputError `frozen` */
  return async function refuse({ caller, method, action, located, input }: Passage): Promise<void> {
    if (action.endsWith(':read') || PASSES_FREEZE.has(action)) return;
    const open = await rows();
    const active = (await readFreezes(open)).map(({ row }) => row).filter(({ endedAt }) => endedAt === undefined);
    if (active.length === 0) return;
    // Resources of an owner are not located before this.
    const place = located.workspace === undefined ? await locate(caller.engine, located, caller.principal) : located;
    const { tenant, workspace = '', infra } = place;
    const counting = active.filter((one) => !(isUndoFreeze(one) && continuesUndo(method.name, input)));
    const found =
      infra === undefined && workspace !== ''
        ? await findFrozenPart(caller.engine, open, { tenant, workspace }, { counting, located, input })
        : await findFrozen(caller.engine, open, { tenant, workspace, infra }, { counting, input });
    if (!found) return;
    const { freeze, part } = found;
    const { createdBy, createdAt, reason } = freeze;
    throw inputError({
      code: 'frozen',
      what: `call ${method.name}`,
      on: describePlace(freeze),
      why: `frozen by ${createdBy} since ${createdAt}: ${reason}${part === undefined ? '' : `; the batch has an operation on ${part}`}`,
      hint:
        tenant === HOME_TENANT
          ? 'wait until it is unfrozen; provisioning freeze list shows all freezes'
          : 'wait until an administrator of the platform unfreezes it',
    });
  };
}

interface Asked {
  request?: { bundle?: string; environment?: string };
  bundle?: { environment?: string };
}

/** A freeze that a call meets. */
interface Frozen {
  freeze: Freeze;
  /** The infra of a batch's operation that it holds. */
  part?: string;
}

interface Place {
  tenant: string;
  workspace: string;
  infra: string | undefined;
}

/** Environments are asked for only if a freeze of an environment may decide. */
const asksEnvironment = (counting: readonly Freeze[], place: Place): boolean =>
  counting.some((one) => readFrozenEnvironment(one) !== undefined && coversPart(one, place));

/** The freeze that a call about one infra meets, or one without an infra. */
async function findFrozen(
  engine: Engine,
  rows: Rows,
  place: Place,
  { counting, input }: { counting: readonly Freeze[]; input: unknown },
): Promise<Frozen | undefined> {
  const environments = asksEnvironment(counting, place) ? await collectEnvironments(engine, rows, place, input) : [];
  const freeze = counting.find((one) => covers(one, { ...place, environments }));
  return freeze && { freeze };
}

/**
 * The environments of an infra, and those that a call would bring it into: a change of the environment passes neither
 * freeze.
 */
async function collectEnvironments(
  engine: Engine,
  rows: Rows,
  { workspace, infra }: Pick<Place, 'workspace' | 'infra'>,
  input: unknown,
): Promise<string[]> {
  if (infra === undefined) return [];
  const { request, bundle } = (input ?? {}) as Asked;
  const place = { workspace, infra };
  const ofBundle = request?.bundle === undefined ? bundle?.environment : await readBundleEnvironment(engine, place, request.bundle);
  const asked = [request?.environment, ofBundle].filter((one) => one !== undefined);
  return [...(await findEnvironments(engine, rows, place)), ...asked];
}

/**
 * The freeze that a call without an infra meets. A batch is judged by the infras of all of its operations, in whose
 * environments they are, and by the environments that it names for them.
 */
async function findFrozenPart(
  engine: Engine,
  rows: Rows,
  at: Pick<Place, 'tenant' | 'workspace'>,
  { counting, located, input }: { counting: readonly Freeze[]; located: Resource; input: unknown },
): Promise<Frozen | undefined> {
  const whole = { ...at, infra: undefined };
  const freeze = counting.find((one) => covers(one, whole));
  if (freeze) return { freeze };
  const narrow = counting.filter((one) => coversPart(one, whole));
  if (narrow.length === 0) return undefined;
  const places = await listBatchPlaces(engine, located, input);
  const asks = asksEnvironment(narrow, whole);
  const waiting = [...places];
  let found: Frozen | undefined;
  const judge = async () => {
    for (let next = waiting.shift(); next && !found; next = waiting.shift()) {
      const [part, named] = next;
      const known = asks ? await findEnvironments(engine, rows, { workspace: at.workspace, infra: part }) : [];
      const met = narrow.find((one) => covers(one, { ...at, infra: part, environments: [...known, ...named] }));
      if (met) found ??= { freeze: met, part };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, judge));
  return found;
}
