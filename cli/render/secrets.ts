import type { SecretRead } from '../../stores/secret-reads.js';
import type { SecretVersion } from '../../stores/secret-versions.js';
import type { Paint } from '../program/screen.js';
import { renderTable } from './inventory.js';

const secondsOf = (at: string): string => at.replace(/\.\d+Z$/, 'Z');

/** Renders the versions of a secret in the given order. */
export function versionTable(versions: readonly SecretVersion[], paint: Paint): string {
  const rows = versions.map(({ version, at, by, how, recipe }, index) => [
    String(version),
    index === 0 ? paint('green', 'in use') : paint('dim', 'former'),
    secondsOf(at),
    by,
    [how, recipe?.generate].filter(Boolean).join(', '),
  ]);
  return renderTable(['#', 'STATE', 'MADE', 'BY', 'HOW'], rows, 'no versions', paint);
}

/** Renders the reads of a secret. */
export function readTable(reads: readonly SecretRead[], paint: Paint): string {
  const rows = reads.map(({ at, by, how, host = '', infra = '' }) => [secondsOf(at), by, how, infra, host]);
  return renderTable(['READ', 'BY', 'HOW', 'INFRA', 'HOST'], rows, 'never read', paint);
}

/** Renders the users of a secret. */
export function usageTable(uses: readonly { infra: string; places: readonly string[] }[], paint: Paint): string {
  const rows = uses.flatMap(({ infra, places }) => places.map((place) => [infra, place]));
  return renderTable(['INFRA', 'USED BY'], rows, 'not used', paint);
}
