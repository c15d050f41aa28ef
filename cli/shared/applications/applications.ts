import { inventories } from '../../../authoring/request/which-infra.js';
import type { Definition, TaskservSpec } from '../../../core/definition/definition.js';
import { inputError } from '../../../core/errors.js';
import { forEachArtifact } from '../../../core/host/artifact-marks.js';
import { quote, sh } from '../../../core/host/shell.js';
import type { Inventory, InventoryServer } from '../../../core/infra/inventory.js';
import { taskservIn } from '../../../core/taskserv/instances.js';
import type { Session } from '../../program/session.js';
import { layoutOf } from './app-layout.js';

/** The taskserv of applications. */
export const APP = 'app';

/** What its configuration says that commands need. */
export interface AppConfig {
  name: string;
  processes: Record<string, { command: string }>;
}

/** An application as it is deployed: the infra, and the servers that have it. */
export interface Application {
  inventory: Inventory & { definition: Definition };
  servers: InventoryServer[];
  config: AppConfig;
}

const configOf = ({ config }: Pick<TaskservSpec, 'config'>): AppConfig => config as AppConfig;

export const isApp = (spec: TaskservSpec, name: string): boolean => taskservIn(spec.name) === APP && configOf(spec).name === name;

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
  const found = (await inventories(session, infra)).flatMap((inventory): Application[] => {
    const { definition } = inventory;
    if (!definition) return [];
    const having = definition.servers.flatMap(({ name: server, taskservs }) =>
      taskservs.filter((spec) => isApp(spec, name)).map((spec) => ({ server, spec })),
    );
    const servers = having.flatMap(({ server }) => inventory.servers[server] ?? []);
    const [first] = having;
    return first && servers.length > 0 ? [{ inventory: { ...inventory, definition }, servers, config: configOf(first.spec) }] : [];
  });
  const [only] = found;
  const fail = (why: string, hint: string) => inputError({ code: 'unknown-app', what, on: name, why, hint });
  if (!only) throw fail('no application of this name is deployed', 'provisioning inventory');
  if (found.length > 1) throw fail('several infras have an application of this name', 'say which with --infra NAME');
  if (chosen === undefined) return only;
  const names = chosen.split(',').map((one) => one.trim());
  const servers = only.servers.filter((one) => names.includes(one.name));
  const missing = names.find((one) => !servers.some((server) => server.name === one));
  if (missing !== undefined)
    throw fail(`the server "${missing}" does not have it`, `it is on ${only.servers.map((one) => one.name).join(', ')}`);
  return { ...only, servers };
}

/** The unit of a process, the first one by default. @throws inputError `unknown-process` */
export function unitOf({ config: { name, processes } }: Application, process = Object.keys(processes)[0] ?? ''): string {
  if (Object.hasOwn(processes, process)) return `${layoutOf(name).unitOf(process)}.service`;
  const hint = `it has ${Object.keys(processes).join(', ')}`;
  throw inputError({
    code: 'unknown-process',
    what: 'find the process',
    on: `${name} ${process}`,
    why: 'the application has no process with this name',
    hint,
  });
}

/** A script as root on a server, by one line for the shell of whoever logs in there. */
export function wrapAsRoot({ connection }: InventoryServer, script: string): string {
  const isRoot = connection.kind !== 'ssh' || connection.user === 'root';
  return `${isRoot ? '' : 'sudo -n '}bash -c ${quote(script)}`;
}

/** A release on a server. */
export interface OnServer {
  server: string;
  release: string;
  /** When it was put there. */
  there: string;
  /** Since when it runs; absent where another one does. */
  since?: string;
}

/** A script that lists the releases of an application, the newest first: `RELEASE THERE SINCE`. */
export function releasesScript({ config: { name } }: Application, unit: string): string {
  return sh`runs=$(systemctl show -P WorkingDirectory ${unit}); since=
if systemctl is-active -q ${unit}; then since=$(date -u -d "$(systemctl show -P ActiveEnterTimestamp ${unit})" +%FT%TZ); fi`.concat(
    '\n',
    forEachArtifact(
      layoutOf(name).releases,
      `at=; [ "$to" != "$runs" ] || at=$since; printf '%s\\n' "\${to##*/} $(date -u -r "$mark" +%FT%TZ) $at"`,
    ),
  );
}

/** What `releasesScript` printed on a server. */
export const releasesIn = (server: string, text: string): OnServer[] =>
  text.split('\n').flatMap((line) => {
    const [release, there, since] = line.trim().split(' ');
    return release && there ? [{ server, release, there, ...(since ? { since } : {}) }] : [];
  });
