import type { AuditVerification } from '../../../app/schemas/audit.js';
import type { Paint } from '../../program/screen.js';
import { renderTable } from '../inventory.js';

/** Renders the result of verifying the audit. */
export function verificationText({ records, chains, withoutHead, heads, problems, more }: AuditVerification, paint: Paint): string {
  const read = `${records} records in ${chains} chains; ends of chains: ${heads.folder}\n`;
  const alone = withoutHead > 0 ? `${withoutHead} chains have no end there: only the chain itself was checked\n` : '';
  const unreadable = heads.unreadable.map((path) => `${paint('red', 'unreadable')} ${path}\n`).join('');
  if (problems.length === 0) return `${unreadable}${unreadable ? '' : `${paint('green', 'intact')}\n`}${read}${alone}`;
  const rows = problems.map(({ fault, writer, chain, sequence, through, why }) => [
    paint('red', fault),
    writer,
    chain.slice(writer.length + 1),
    sequence === through ? String(sequence) : `${sequence}-${through}`,
    why,
  ]);
  const table = renderTable(['FAULT', 'WRITER', 'CLASS', 'RECORDS', 'WHY'], rows, '', paint);
  return `${table}${more ? 'there are more\n' : ''}${unreadable}${read}${alone}`;
}
