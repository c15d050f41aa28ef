import { EXIT } from '../../../core/exit-codes.js';
import { type HeldByArchive, isUnexpected } from '../../../upstream/archives.js';
import type { UpstreamVersions } from '../../../upstream/upstream-versions.js';
import type { Paint } from '../../program/screen.js';
import { renderTable } from '../../render/inventory.js';

/** Maximum number of supported versions in a row. */
const SHOWN = 3;

const isNewer = ({ newer, ended, archives = [] }: UpstreamVersions): boolean =>
  ended.length > 0 ||
  archives.some(isUnexpected) ||
  (newer !== undefined && [newer.patch, newer.minor, newer.major].some((all) => all.length > 0));

/**
 * Returns the exit code of `taskserv outdated`: 1 if a newer version exists, or if an archive differs from the one
 * that this build expects; 3 if a source could not be reached and has no cached answer.
 */
export function exitCodeOfUpstream(services: readonly UpstreamVersions[]): number {
  if (services.some(({ newer }) => newer === undefined)) return EXIT.notReached;
  return services.some(isNewer) ? EXIT.failed : EXIT.done;
}

export function upstreamTable(services: readonly UpstreamVersions[], paint: Paint): string {
  const head = ['SERVICE', 'SUPPORTED', 'PATCH', 'MINOR', 'MAJOR', 'ASKED', 'LISTED BY', ''];
  const rows = services.map((one) => {
    const { service, supported, newer, source } = one;
    const more = supported.length > SHOWN ? `${supported.slice(0, SHOWN).join(', ')}, …` : supported.join(', ');
    const beyond = [newer?.patch, newer?.minor, newer?.major].map((all = []) => paint('yellow', all.join(', ')));
    return [service, more, ...beyond, ageOf(one), source, remarksOf(one, paint)];
  });
  return renderTable(head, rows, 'no service says who lists its versions', paint);
}

const UNITS = [
  [24 * 60 * 60_000, 'd'],
  [60 * 60_000, 'h'],
  [60_000, 'min'],
] as const;

function ageOf({ newer, ageMs }: UpstreamVersions): string {
  if (newer === undefined) return 'no';
  if (ageMs === undefined) return 'now';
  const [unit, name] = UNITS.find(([ms]) => ageMs >= ms) ?? [];
  return unit === undefined ? 'now' : `${Math.floor(ageMs / unit)} ${name} ago`;
}

function remarksOf({ newer, failure, archives = [], ended, withdrawn, gone, remarks }: UpstreamVersions, paint: Paint): string {
  const failed = failure && (newer === undefined ? failure.why : `what was kept is shown: ${failure.why}`);
  return [
    ...(failed === undefined ? [] : [paint('yellow', failed)]),
    ...(archives.length > 0 ? [archives.map((one) => heldText(one, paint)).join(', ')] : []),
    ...ended.map(({ version, endOfLife }) => paint('red', `end of life of ${version} was ${endOfLife}`)),
    ...withdrawn.map(({ version, why }) => `${version} is withdrawn: ${why}`),
    ...(gone.length > 0 ? [`not listed any more: ${gone.join(', ')}`] : []),
    ...remarks,
  ].join('; ');
}

function heldText(archive: HeldByArchive, paint: Paint): string {
  const { release, package: name, supported, version } = archive;
  const held = `${release} has ${version ?? `no ${name}`}`;
  return isUnexpected(archive) ? paint('red', `${held} (this build expects ${supported} there)`) : held;
}
