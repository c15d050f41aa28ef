import type { Read } from '../../../authoring/definition/definitions.js';
import { refuseUnsold } from '../../../authoring/definition/refuse-unsold.js';
import { resolveExternalValues } from '../../../authoring/given/with-given.js';
import { registriesFor } from '../../../authoring/modules/registries.js';
import { answersWithinMs } from '../../../authoring/request/live-status.js';
import { selectNamed, splitList } from '../../../authoring/request/named.js';
import { findInventory, readAbout, subject } from '../../../authoring/request/which-infra.js';
import { findAppliedFile } from '../../../authoring/versions/applied-file.js';
import { carriersOf, type OtherVersion, setVersion, type UpgradeInput } from '../../../authoring/versions/edit-definition.js';
import type { Definition } from '../../../core/definition/definition.js';
import type { Inventory } from '../../../core/infra/inventory.js';
import { loadModules } from '../../../core/registry.js';
import type { AnyTaskserv } from '../../../core/taskserv/taskserv.js';
import type { VersionChange } from '../../../core/versions/version-change.js';
import {
  checkNamedVersion,
  hasVersion,
  newestWithin,
  noDefinition,
  type Present,
  refuseWay,
} from '../../../definition/versions/choose-version.js';
import type { FlagsOf, NARROW_OPTIONS, UPDATE } from '../../command.js';
import type { Session } from '../../program/session.js';
import type { SERVERS_OPTION } from '../ensure.js';
import { operate } from '../operate.js';

/** Minimum time limit of a host's answer, in milliseconds. The following operation would wait for the host too. */
const ANSWER_MS = 60_000;

/** Target version: a named version, or a strategy. Absent: the newest package of the current version. */
export interface WhichVersion {
  to: string | undefined;
  strategy: VersionChange | 'none' | undefined;
}

type Flags = FlagsOf<typeof NARROW_OPTIONS> &
  FlagsOf<[typeof SERVERS_OPTION]> &
  Omit<FlagsOf<typeof UPDATE>, 'strategy'> & { env?: string; rollout?: FlagsOf<typeof UPDATE>['strategy'] };

/** Known state of an infra before its hosts are queried. */
interface Subject extends Partial<UpgradeInput> {
  infra: string;
  /** File of the definition, if known. */
  file?: string;
  /** Inventory, if it was queried already. */
  inventory?: Inventory;
}

/**
 * Upgrades a taskserv to another version, or its package to the newest of its version.
 *
 * @returns the exit code
 * @throws inputError `version-unsupported`, `version-withdrawn`, `version-older`, `version-skipped`, and those of
 * `setVersion`
 */
export async function upgradeTaskserv(session: Session, name: string, which: WhichVersion, flags: Flags): Promise<number> {
  const change = which.to === undefined && which.strategy !== 'none' ? which.strategy : undefined;
  const reading = { ...flags, renewed: name };
  const read = flags.file === undefined ? undefined : await readAbout(session, flags.file, reading);
  const taskserv = await loaded(session, name, flags.file);
  const target = which.to === undefined || !taskserv ? undefined : checkNamedVersion(which.to, taskserv);
  const refuseDefined = ({ definition, file }: { definition: Definition; file: string }) =>
    target !== undefined && taskserv && refuseWay(taskserv, target, definedAt(definition, file, name, flags.server));
  // Report errors that the definition shows before hosts are queried.
  if (read && flags.file !== undefined) refuseDefined({ definition: read.definition, file: flags.file });

  const about = read
    ? await ofFile(session, read, flags)
    : await ofInfra(session, reading, which.to !== undefined || change !== undefined);
  const inventory = about.inventory ?? (await findInventory(session, about.infra));
  const definition = about.definition ?? inventory.definition;
  if (!definition) throw noDefinition(about.infra);
  refuseDefined({ definition, file: about.file ?? about.infra });
  const chosen = await selectNamed(
    session,
    { infra: about.infra, definition },
    { taskservs: [name], servers: splitList([flags.server ?? '']) },
  );
  const {
    request,
    version: chosenVersion,
    services,
  } = await (await session.client()).taskservs.upgrade({
    ...{ workspace: session.workspace, infra: about.infra, taskserv: name, ...(chosen.servers && { servers: chosen.servers }) },
    ...(which.to !== undefined && { to: target ?? which.to }),
    ...(change !== undefined && { within: change }),
    ...(about.definition && { definition }),
    withinMs: Math.max(ANSWER_MS, await answersWithinMs(session)),
  });
  const { infra } = about;
  const present = services.map(({ server, from }): Present => ({ on: server, version: from }));
  const isOwn = carriersOf(definition, name).some(({ spec }) => spec.module !== undefined);
  const ownVersion = isOwn && change && taskserv ? newestWithin(change, taskserv, present) : undefined;
  const version = chosenVersion ?? ownVersion;
  if (version !== undefined && taskserv) {
    if (isOwn) refuseWay(taskserv, version, present);
    const servers = new Set(services.map(({ server }) => server));
    const other = asNamed(await setVersion({ ...about, definition }, name, version, servers), taskserv, version);
    const isThere = present.every((one) => hasVersion(one, version)) && other.edits.length === 0;
    if (!isThere) return upgradeTo(session, { name, version, infra, other, chosen }, flags);
    if (target !== undefined) {
      if (!session.json) session.out.write(`${name}: all of it has ${version} already: nothing to do\n`);
      return run(session, flags, { infra, definition, chosen, harmless: true });
    }
  }
  const harmless = services.every(({ to }) => to === undefined);
  if (harmless && !session.json) session.out.write(`${name}: no host has a newer package of it\n`);
  return run(session, flags, { infra, definition: request.definition ?? definition, chosen, harmless });
}

/**
 * The file now names the version. It therefore comes from further package sources, whatever the release's archive has.
 */
function asNamed(other: OtherVersion, { name, versions }: AnyTaskserv, version: string): OtherVersion {
  const byRelease = versions.releases !== undefined && other.edits.length > 0;
  for (const { spec } of byRelease ? carriersOf(other.definition, name) : [])
    if (spec.version === version && spec.constraint === undefined) spec.allowed = [version];
  return other;
}

type Chosen = Awaited<ReturnType<typeof selectNamed>>;

interface Target {
  name: string;
  version: string;
  infra: string;
  other: OtherVersion;
  chosen: Chosen;
}

function upgradeTo(session: Session, { name, version, infra, other, chosen }: Target, flags: Flags): Promise<number> {
  const { definition, edits, along } = other;
  if (along.length > 0)
    session.note(`note: the entry of ${name} is also for ${along.join(', ')}: the next apply brings ${version} there, too`);
  return run(session, flags, { infra, definition, chosen, edits });
}

interface Run {
  infra: string;
  definition: Definition;
  chosen: Chosen;
  edits?: OtherVersion['edits'];
  harmless?: boolean;
}

function run(session: Session, flags: Flags, { infra, definition, chosen, edits, harmless }: Run): Promise<number> {
  // In this command, --strategy selects the version.
  const how = { ...flags, strategy: flags.rollout };
  return operate(session, how, {
    kind: 'taskserv',
    infra,
    intent: { verb: 'ensure', ...chosen },
    definition,
    ...(edits && { edits }),
    ...(harmless && { harmless }),
  });
}

/** Returns the subject from a named definition file. */
async function ofFile(session: Session, read: Read, { file, env = session.environment }: Flags): Promise<Subject> {
  await refuseUnsold(session, read);
  const definition = await resolveExternalValues(session, read);
  return { infra: definition.infra, file, read, definition, ...(env !== undefined && { environment: env }) };
}

/**
 * Returns the subject from the last applied definition.
 *
 * @param writes whether the definition file may have to be written and must be found
 */
async function ofInfra(session: Session, flags: Flags, writes: boolean): Promise<Subject> {
  const { infra } = await subject(session, flags);
  const inventory = await findInventory(session, infra);
  return { infra, inventory, ...(writes && (await findAppliedFile(session, infra, session.cwd, flags))) };
}

/** Loads a taskserv of the platform, the user or the workspace. Returns undefined if the name is unknown. */
async function loaded(session: Session, name: string, file?: string): Promise<AnyTaskserv | undefined> {
  const { taskservs } = await registriesFor(session, file);
  const modules = await loadModules(taskservs, [name]);
  return Object.hasOwn(modules, name) ? modules[name] : undefined;
}

/** Returns the versions of a taskserv in a definition, on the named servers. */
function definedAt(definition: Definition, file: string, name: string, servers = ''): Present[] {
  const only = splitList([servers]);
  return carriersOf(definition, name)
    .filter(({ server, group }) => only.length === 0 || only.includes(server) || only.includes(group))
    .map(({ spec: { version } }) => ({ on: file, version, says: `the definition has ${version}` }));
}
