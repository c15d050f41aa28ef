import { type Application, chooseServers, findApplications } from '../../../app/application/applications.js';
import { inventories } from '../../../authoring/request/which-infra.js';
import { inputError } from '../../../core/errors.js';
import { quote } from '../../../core/host/shell.js';
import type { InventoryServer } from '../../../core/infra/inventory.js';
import type { Session } from '../../program/session.js';

/**
 * Finds an application by its name.
 *
 * @param chosen the servers, comma-separated; default: all that have it
 * @throws inputError `unknown-app`
 */
export async function application(
  session: Session,
  { name, infra, server: chosen }: { name: string; infra?: string; server?: string },
  what: string,
): Promise<Application> {
  const all = (await inventories(session, infra)).flatMap(findApplications);
  const app = onlyOne(
    all.filter(({ config }) => config.name === name),
    name,
    what,
  );
  return chosen === undefined ? app : chooseServers(app, listServers(chosen), what);
}

/**
 * Returns the infra that has an application, for methods.
 *
 * @throws inputError `unknown-app`
 */
export async function findInfra(
  session: Session,
  { name, infra }: { name: string; infra?: string },
  what: string,
): Promise<string> {
  if (infra !== undefined) return infra;
  const { workspace } = session;
  const found = await (await session.client()).applications.list({ workspace, filter: { name } });
  return onlyOne(
    found.filter((one) => one.name === name),
    name,
    what,
  ).infra;
}

/** Parses names of servers on a command line. */
export const listServers = (text: string): string[] => text.split(',').map((one) => one.trim());

function onlyOne<T>(found: readonly T[], name: string, what: string): T {
  const [only] = found;
  const fail = (why: string, hint: string) => inputError({ code: 'unknown-app', what, on: name, why, hint });
  if (!only) throw fail('no application of this name is deployed', 'provisioning inventory');
  if (found.length > 1) throw fail('several infras have an application of this name', 'say which with --infra NAME');
  return only;
}

/** Wraps a script as one line for the login shell that runs it as root. */
export function wrapAsRoot({ connection }: InventoryServer, script: string): string {
  const isRoot = connection.kind !== 'ssh' || connection.user === 'root';
  return `${isRoot ? '' : 'sudo -n '}bash -c ${quote(script)}`;
}
