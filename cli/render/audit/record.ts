import type { AuditRecord } from '../../../app/schemas/audit.js';
import type { Colour, Paint } from '../../program/screen.js';
import { renderTable } from '../inventory.js';

const COLOURS: Readonly<Record<AuditRecord['outcome'], Colour>> = {
  asked: 'dim',
  done: 'green',
  failed: 'red',
  refused: 'yellow',
  read: 'dim',
};

const HEAD = ['TIME', 'ACTOR', 'METHOD', 'RESOURCE', 'OUTCOME'];

/** Returns the time of a record in seconds, in UTC. */
const second = (at: string): string => at.replace(/\.\d+Z$/, 'Z');

/** Returns the caller's name, or the id of a caller whose name was erased. */
const nameCaller = ({ actor, who, address }: AuditRecord): string =>
  actor ?? (who !== undefined ? `erased:${who}` : (address ?? 'unknown'));

function describeOutcome({ outcome, isOpen, code, count }: AuditRecord): string {
  if (isOpen) return 'asked: outcome unknown';
  const text = code === undefined ? outcome : `${outcome}: ${code}`;
  return count === undefined ? text : `${text} (${count} times)`;
}

const listCells = (record: AuditRecord, paint: Paint): string[] => [
  second(record.at),
  nameCaller(record),
  record.method,
  record.resource ?? '',
  paint(record.isOpen ? 'yellow' : COLOURS[record.outcome], describeOutcome(record)),
];

/** Renders records as a table. */
export const auditTable = (records: readonly AuditRecord[], paint: Paint): string =>
  renderTable(
    HEAD,
    records.map((record) => listCells(record, paint)),
    'no recorded calls',
    paint,
  );

/** Renders a record as one line, for a stream of records. */
export const auditLine = (record: AuditRecord, paint: Paint): string =>
  `${listCells(record, paint)
    .map((cell) => cell.replace(/\s/g, ' '))
    .filter(Boolean)
    .join('  ')}\n`;

/** Renders all fields of a record, one line each. */
export function auditDetails(record: AuditRecord, paint: Paint): string {
  const { input, dropped } = record;
  const parts: [string, string | number | undefined][] = [
    ['record', record.id],
    ['time', record.at],
    ['until', record.until],
    ['count', record.count],
    ['class', record.class],
    ['caller', nameCaller(record)],
    ['way in', record.door],
    ['address', record.address],
    ['method', record.method],
    ['action', record.action],
    ['resource', record.resource],
    ['decision', record.decision && [record.decision, record.reason].filter(Boolean).join(': ')],
    ['input', input && JSON.stringify(input.fields)],
    ['rest of input', input?.rest && `SHA-256 ${input.rest}, salted`],
    ['operation', record.operation],
    ['outcome', describeOutcome(record)],
    ['deleted', dropped && `${dropped.chain} up to ${dropped.through}`],
    ['call', record.call],
    ['hash', record.hash],
  ];
  return parts
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([title, value]) => `${paint('dim', title.padEnd(14))}${String(value).replace(/[\r\n]+/g, ' ')}\n`)
    .join('');
}
