import { type KnownVersions, readKnownVersions } from '../../../app/versions/known-versions.js';
import { registriesFor } from '../../../authoring/modules/registries.js';
import { inventories } from '../../../authoring/request/which-infra.js';
import { ProvisioningError } from '../../../core/errors.js';
import { EXIT } from '../../../core/exit-codes.js';
import type { Inventory } from '../../../core/infra/inventory.js';
import { taskservIn } from '../../../core/taskserv/instances.js';
import type { Versions } from '../../../core/taskserv/taskserv.js';
import { releasesOf } from '../../../core/versions/release-versions.js';
import { defineCommand, INFRA } from '../../command.js';
import { type Paint, paintFor } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';
import { taskservNamed } from '../../shared/taskserv-named.js';
import { ANSWER_TIME, lookAtVersions, versionsTable } from '../../shared/versions/versions.js';

export const command = defineCommand({
  arguments: [['<name>', 'a taskserv, installed or not']],
  options: [{ ...INFRA, about: 'only the versions of this infra' }, ANSWER_TIME],
  details:
    'Lists the versions that this release supports, and the running version of each server, checked on its host. Without an engine it lists only the supported versions. Exit code 3 if a host did not answer.',
  examples: ['taskserv versions postgres', 'taskserv versions redis --infra shop --json'],
  async run(session, { args: [name], flags }) {
    const { platform, taskservs, own } = await registriesFor(session);
    const base = taskservIn(name);
    const entry = taskservNamed(taskservs, base);
    const known = own.has(base) ? ofOwn((await entry.load()).versions) : (await readKnownVersions(platform, [base]))[base];
    const carrying = (await infrasOf(session, flags.infra)).filter((inventory) => carries(inventory, name));
    const services = await lookAtVersions(session, carrying, { taskserv: name, timeout: flags.timeout });
    const paint = paintFor(session.out);
    if (session.json) writeDocument(session, { name, ...known, services });
    else session.out.write(`${known ? knownTable(known, paint) : ''}\n${versionsTable(services, `no server has ${name}`, paint)}`);
    return services.some(({ why }) => why !== undefined) ? EXIT.notReached : EXIT.done;
  },
});

/** Returns the existing infras. Without an engine they are unknown, which is reported. */
async function infrasOf(session: Session, infra?: string): Promise<Inventory[]> {
  try {
    return await inventories(session, infra);
  } catch (error) {
    const withoutEngine = error instanceof ProvisioningError && error.details.code === 'engine-not-running';
    if (!withoutEngine || infra !== undefined) throw error;
    session.note('no engine runs: the versions on servers are not known');
    return [];
  }
}

const ofOwn = (versions: Versions): KnownVersions => ({
  ...{ default: versions.default, source: versions.source },
  versions: versions.supported.map((version) => {
    const releases = releasesOf(versions, version);
    return { version, ...(releases.length > 0 && { releases }) };
  }),
});

const carries = ({ servers, definition }: Inventory, name: string): boolean =>
  Object.values(servers).some(({ services }) => Object.hasOwn(services, name)) ||
  (definition?.servers ?? []).some(({ taskservs }) => taskservs.some((one) => one.name === name));

function knownTable({ versions, default: preset, source }: KnownVersions, paint: Paint): string {
  const rows = versions.map(({ version, releases, released, endOfLife, withdrawn }) => [
    version,
    releases?.join(', ') ?? source,
    released ?? '',
    endOfLife ?? '',
    withdrawn === undefined ? (version === preset && !releases ? 'default' : '') : paint('red', `withdrawn: ${withdrawn}`),
  ]);
  return renderTable(['VERSION', 'FROM', 'RELEASED', 'END OF LIFE', ''], rows, 'no versions', paint);
}
