import type { ServiceVersions } from '../../../app/versions/service-versions.js';
import { answersWithinMs } from '../../../authoring/request/live-status.js';
import type { Inventory } from '../../../core/infra/inventory.js';
import type { OptionSpec } from '../../command.js';
import type { Paint } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { renderTable } from '../../render/inventory.js';

export const ANSWER_TIME = {
  flags: '--timeout <seconds>',
  about: 'seconds to wait for a host (default: 5)',
  number: true,
} as const satisfies OptionSpec;

interface Asked {
  /** Limits the query to this taskserv. */
  taskserv?: string;
  /** Time limit of a host in seconds. */
  timeout?: number;
}

/** Queries the hosts of infras in parallel for their running versions. */
export async function lookAtVersions(
  session: Session,
  all: readonly Inventory[],
  { taskserv, timeout }: Asked,
): Promise<ServiceVersions[]> {
  const client = await session.client();
  const withinMs = await answersWithinMs(session, timeout);
  const asked = { workspace: session.workspace, withinMs, ...(taskserv !== undefined && { taskserv }) };
  return (await Promise.all(all.map(({ infra }) => client.taskservs.versions({ ...asked, infra })))).flat();
}

/** Returns the current day, for comparison with ends of life. */
const today = (): string => new Date().toISOString().slice(0, 10);

export function versionsTable(services: readonly ServiceVersions[], none: string, paint: Paint): string {
  const head = ['INFRA', 'SERVER', 'TASKSERV', 'VERSION', 'INSTALLED', 'PATCH', 'MINOR', 'MAJOR', ''];
  const rows = services.map((one) => [
    ...[one.infra, one.server, one.taskserv, one.constraint ? `${one.version} (${one.constraint})` : one.version],
    one.installed ?? '',
    ...[one.newer?.to ?? one.patch, one.minor, one.major].map((text) => (text === undefined ? '' : paint('yellow', text))),
    remarkOf(one, paint),
  ]);
  return renderTable(head, rows, none, paint);
}

function remarkOf({ why, withdrawn, endOfLife }: ServiceVersions, paint: Paint): string {
  if (why !== undefined) return paint('yellow', `not looked at: ${why}`);
  if (withdrawn !== undefined) return paint('red', `withdrawn: ${withdrawn}`);
  if (endOfLife === undefined) return '';
  return endOfLife < today() ? paint('red', `end of life was ${endOfLife}`) : `until ${endOfLife}`;
}
