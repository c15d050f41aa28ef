import { requestOf } from '../../../authoring/request/requests.js';
import type { SecretMethods } from '../../../client/ask-secrets.js';
import { EXIT, exitCodeOf } from '../../../core/exit-codes.js';
import type { CommonFlags, FlagsOf, UPDATE } from '../../command.js';
import type { Session } from '../../program/session.js';
import { follow, watch } from '../follow.js';
import { updateOf } from '../operate.js';
import { operationSettings } from '../settings/operation-settings.js';

type SecretUse = Awaited<ReturnType<SecretMethods['usage']>>['uses'][number];

/** An infra and what is changed in it. */
export interface Affected {
  infra: string;
  servers: string[];
  taskservs: string[];
  /** `redis on web-1`. */
  places: string[];
}

/** The infras in which installed services use a secret. */
export const affectedOf = (uses: readonly SecretUse[]): Affected[] =>
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

/** What became of an infra that was to get another value. */
export interface Reached {
  infra: string;
  operation: string;
  /** Exit code of its operation. */
  code: number;
  status?: string;
}

/** Makes services go by the present value of their secrets, by an operation that changes these alone, and follows it. */
export async function applyTo(
  session: Session,
  { infra, servers, taskservs }: Affected,
  flags: CommonFlags & FlagsOf<typeof UPDATE>,
): Promise<Reached> {
  const { onFailure, onTimeout, priority, timing, settings, approve } = await operationSettings(session, flags, infra);
  const intent = { verb: 'ensure' as const, servers, taskservs };
  const how = { onFailure, onTimeout, priority, timing, settings, ...(approve && { approve: [approve] }), ...updateOf(flags) };
  const request = requestOf(session, { kind: 'taskserv', infra, intent }, how);
  const client = await session.client();
  const started = Date.now();
  const { operation } = await client.operations.submit({ request });
  session.begun({ operation });
  if (!session.json) return { infra, operation, code: await follow(session, operation, { started }) };
  const outcome = await watch(session, operation, { update: () => {}, end: () => {} });
  if (outcome.kind === 'ended') return { infra, operation, code: exitCodeOf(outcome.result), status: outcome.result.status };
  const code = outcome.kind === 'waiting' ? EXIT.waits : EXIT.interrupted;
  return { infra, operation, code, status: outcome.progress?.status ?? 'running' };
}

/** The command that does the same. */
export const commandFor = ({ infra, servers, taskservs }: Affected): string =>
  `provisioning taskserv update ${taskservs.join(' ')} --infra ${infra} --server ${servers.join(',')}`;
