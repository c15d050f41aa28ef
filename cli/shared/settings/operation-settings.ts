import { configPlace } from '../../../authoring/settings/config-place.js';
import type { OperationRequest, Timing } from '../../../core/operation/operation.js';
import { type Resolution, resolveConfig } from '../../../settings/layers/resolve.js';
import { isServiceField } from '../../../settings/registry/registry.js';
import type { CommonFlags, FlagsOf, HARMLESS } from '../../command.js';
import type { Session } from '../../program/session.js';

export { configPlace };

const OPTIONS = ['onFailure', 'onTimeout', 'priority', 'approve', 'wait', 'queue', 'diff'] as const;
type HowFlags = Pick<FlagsOf<typeof HARMLESS>, (typeof OPTIONS)[number]>;

/** Options of an operation from settings and the command line, and their part in the request. */
interface HowSettled extends HowFlags {
  timing?: Timing;
  settings: OperationRequest['settings'];
}

/**
 * Returns the options of an operation: from the command line, otherwise from the settings of its infra.
 *
 * @throws ConfigError `bad-settings`, `config-scope`
 */
export async function operationSettings(session: Session, flags: HowFlags & CommonFlags, infra: string): Promise<HowSettled> {
  const given = OPTIONS.map((name) => [`operation.${name}`, flags[name]] as const);
  const resolution = await resolveConfig(configPlace(session, infra), { flags: Object.fromEntries(given) });
  // Settings allow the same values as options. A test checks that they agree.
  const said = OPTIONS.map((name) => [name, resolution.settled.get(`operation.${name}`)?.value] as const);
  const timing = timingIn(resolution);
  return {
    ...(Object.fromEntries(said.filter(([, value]) => value !== undefined)) as HowFlags),
    ...(timing && { timing }),
    settings: recorded(resolution),
  };
}

/** Keys of a request's timing. The workflows know the defaults. */
const TIMING = {
  healthMs: ['timeouts.health', 1_000],
  giveUpMs: ['timeouts.patience', 1_000],
  callMs: ['timeouts.call', 1_000],
  retryMs: ['timeouts.retry', 1],
} as const satisfies Partial<Record<keyof Timing, readonly [key: string, unitMs: number]>>;

function timingIn({ settled }: Resolution): Timing | undefined {
  const said = Object.entries(TIMING).flatMap(([name, [key, unitMs]]) => {
    const { value, winner } = settled.get(key) ?? {};
    return winner && winner.layer !== 'defaults' ? [[name, Number(value) * unitMs] as const] : [];
  });
  return said.length > 0 ? Object.fromEntries(said) : undefined;
}

/** Groups of keys that affect an operation. */
const GROUPS: ReadonlySet<string> = new Set(['operation', 'timeouts', 'servers', 'rolling', 'taskservs']);

/**
 * Returns the settings that apply to an operation. For taskservs only values from layers: their defaults are in the
 * definition.
 */
function recorded({ settled }: Resolution): OperationRequest['settings'] {
  const kept = [...settled.values()].flatMap(({ key, value, winner }) => {
    const counts = key.scope === 'client' && !key.sensitive && GROUPS.has(key.name.split('.')[0] ?? '');
    const layer = winner?.layer ?? 'defaults';
    if (!counts || value === undefined || (isServiceField(key) && layer === 'defaults')) return [];
    return [[key.name, { value, layer }] as const];
  });
  return Object.fromEntries(kept);
}
