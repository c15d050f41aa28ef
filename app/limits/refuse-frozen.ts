import { inputError } from '../../core/errors.js';
import type { Freeze } from '../../stores/rows/freezes.js';
import type { Rows } from '../../stores/rows.js';
import { HOME_TENANT } from '../access/service-accounts.js';
import type { Engine } from '../engine.js';
import { locate } from '../locate.js';
import type { Passage } from '../method.js';
import { findEnvironments, readBundleEnvironment } from './environments/find-environments.js';
import { readFrozenEnvironment } from './environments/frozen-environment.js';
import { covers, describePlace, readFreezes } from './freezes.js';
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
    const { tenant, workspace, infra } = place;
    const isPassed = (one: Freeze) => isUndoFreeze(one) && continuesUndo(method.name, input);
    const asksEnvironment = workspace !== undefined && active.some((one) => readFrozenEnvironment(one) !== undefined);
    const environments = asksEnvironment ? await collectEnvironments(caller.engine, open, { workspace, infra }, input) : [];
    const asked = { tenant, workspace: workspace ?? '', infra, environments };
    const freeze = active.find((one) => covers(one, asked) && !isPassed(one));
    if (!freeze) return;
    const { createdBy, createdAt, reason } = freeze;
    throw inputError({
      code: 'frozen',
      what: `call ${method.name}`,
      on: describePlace(freeze),
      why: `frozen by ${createdBy} since ${createdAt}: ${reason}`,
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
  /** Of a batch; not checked yet. */
  operations?: unknown;
}

/**
 * The environments of an infra, and those that a call would bring it, or the infras of a batch, into: a change of the
 * environment passes neither freeze.
 */
async function collectEnvironments(
  engine: Engine,
  rows: Rows,
  { workspace, infra }: { workspace: string; infra: string | undefined },
  input: unknown,
): Promise<string[]> {
  const { request, bundle, operations } = (input ?? {}) as Asked;
  if (infra === undefined) return listBatchEnvironments(operations);
  const place = { workspace, infra };
  const ofBundle = request?.bundle === undefined ? bundle?.environment : await readBundleEnvironment(engine, place, request.bundle);
  const asked = [request?.environment, ofBundle].filter((one) => one !== undefined);
  return [...(await findEnvironments(engine, rows, place)), ...asked];
}

function listBatchEnvironments(operations: unknown): string[] {
  const all: unknown[] = Array.isArray(operations) ? operations : [];
  const named = all.map((one) => (one as { environment?: unknown } | null)?.environment);
  return [...new Set(named.filter((one) => typeof one === 'string'))];
}
