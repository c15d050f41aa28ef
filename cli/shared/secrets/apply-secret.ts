import type { SecretMethods } from '../../../client/ask-secrets.js';
import { operationId } from '../../../core/operation-id.js';
import type { CommonFlags, FlagsOf, UPDATE } from '../../command.js';
import type { Session } from '../../program/session.js';
import { updateOf } from '../operate.js';
import { operationSettings } from '../settings/operation-settings.js';
import { followRotation, type RotationOutcome } from './follow-rotation.js';
import type { NamedPlace } from './secret-place.js';

type Flags = CommonFlags & FlagsOf<typeof UPDATE>;
type Manners = NonNullable<Parameters<SecretMethods['apply']>[0]['manners']>;
type SecretUse = Awaited<ReturnType<SecretMethods['usage']>>['uses'][number];

/** Infra with its affected services. */
export interface AffectedInfra {
  infra: string;
  servers: string[];
  taskservs: string[];
  /** `redis on web-1`. */
  places: string[];
}

/** Returns the infras whose installed services use a secret. */
export const listAffectedInfras = (uses: readonly SecretUse[]): AffectedInfra[] =>
  uses.flatMap(({ infra, services }) => {
    if (services.length === 0) return [];
    const each = (values: string[]) => [...new Set(values)].sort();
    return [
      {
        infra,
        servers: each(services.map(({ server }) => server)),
        taskservs: each(services.map(({ taskserv }) => taskserv)),
        places: each(services.map(({ server, taskserv }) => `${taskserv} on ${server}`)),
      },
    ];
  });

/** Returns the options of the operations: from the command line, otherwise from each infra's settings. */
async function readManners(session: Session, affected: readonly AffectedInfra[], flags: Flags): Promise<Manners> {
  const read = async ({ infra }: AffectedInfra) => {
    const { onFailure, onTimeout, priority, timing, settings, approve } = await operationSettings(session, flags, infra);
    const how = { onFailure, onTimeout, priority, timing, settings, ...(approve && { approve: [approve] }), ...updateOf(flags) };
    return [infra, Object.fromEntries(Object.entries(how).filter(([, value]) => value !== undefined))] as const;
  };
  return Object.fromEntries(await Promise.all(affected.map(read)));
}

/**
 * Starts a batch that brings the current value of a secret to these infras, one after another, and follows it. Each
 * operation changes only the services that use the secret.
 */
export async function applySecret(
  session: Session,
  { place }: NamedPlace,
  affected: readonly AffectedInfra[],
  flags: Flags,
): Promise<{ batch?: string; reached: RotationOutcome[] }> {
  if (affected.length === 0) return { reached: [] };
  const client = await session.client();
  const as = operationId('batch', 'of', 'secret').replace(/^batch-of-/, 'batch-');
  const only = affected.map(({ infra }) => infra);
  const manners = await readManners(session, affected, flags);
  const { batch } = await client.secrets.apply({ ...place, as, infras: only, manners });
  if (batch === undefined) return { reached: [] };
  return { batch, reached: await followRotation(session, batch) };
}

/** Returns the equivalent command. */
export const commandFor = ({ infra, servers, taskservs }: AffectedInfra): string =>
  `provisioning taskserv update ${taskservs.join(' ')} --infra ${infra} --server ${servers.join(',')}`;
