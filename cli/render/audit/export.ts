import type { AuditRecord } from '../../../app/schemas/audit.js';
import { printable } from '../../program/screen.js';

export const EXPORT_FORMATS = ['jsonl', 'csv', 'syslog'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Columns of CSV, each a field of the record. */
const COLUMNS = [
  ...(['id', 'at', 'until', 'count', 'class', 'actor', 'who', 'door', 'address', 'method', 'action', 'resource'] as const),
  ...(['decision', 'reason', 'outcome', 'isOpen', 'code', 'operation', 'call', 'input', 'chain', 'sequence'] as const),
  ...(['previous', 'hash', 'bytes'] as const),
];

/** Format of an export: its header, and each record as one line. */
export interface ExportForm {
  head: string;
  line(record: AuditRecord): string;
}

/** JSON has no line breaks outside of texts. Terminal control characters are escaped as in JSON. */
const jsonLine = (record: AuditRecord): string => `${escapeJson(JSON.stringify(record))}\n`;

const escapeJson = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const oneLine = (text: string): string => printable(text.replace(/[\r\n\t]+/g, ' '));

/** Formats a cell of RFC 4180. A cell that a spreadsheet would read as a formula begins with an apostrophe. */
function formatCell(value: unknown): string {
  if (value === undefined) return '';
  const text = oneLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
  const safe = /^[\s]*[=+\-@|%]/.test(text) ? `'${text}` : text;
  return /[",]|^\s|\s$|^'/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Facility 13, log audit. */
const FACILITY = 13;
const SEVERITIES: Readonly<Record<AuditRecord['outcome'], number>> = { asked: 6, done: 6, read: 6, failed: 4, refused: 4 };
const NIL = '-';

/** Formats a header field of RFC 5424: printable ASCII without spaces. */
const header = (text: string | undefined, most: number): string => (text ?? '').replace(/[^!-~]/g, '_').slice(0, most) || NIL;

const parameter = (name: string, value: unknown): string =>
  value === undefined ? '' : ` ${name}="${oneLine(String(value)).replace(/["\\\]]/g, '\\$&')}"`;

/**
 * Formats a line of RFC 5424. The host is unknown; the forwarder of the lines adds it. Example numbers of RFC 5612 are
 * not used.
 */
function syslogLine(record: AuditRecord): string {
  const { at, outcome, method, id, call, actor, who, door, address, action, resource, decision, reason, code, operation } = record;
  const fields = { id, call, class: record.class, actor, who, door, address, action, resource, decision, reason, outcome, code };
  const more = { operation, count: record.count, until: record.until, hash: record.hash };
  const data = Object.entries({ ...fields, ...more }).map(([name, value]) => parameter(name, value));
  const priority = FACILITY * 8 + SEVERITIES[outcome];
  return `<${priority}>1 ${at} ${NIL} provisioning ${NIL} ${header(method, 32)} [audit@0${data.join('')}] ${oneLine(method)} ${outcome}\n`;
}

/** Formats of exports. */
export const EXPORTS: Readonly<Record<ExportFormat, ExportForm>> = {
  jsonl: { head: '', line: jsonLine },
  csv: {
    head: `${COLUMNS.join(',')}\r\n`,
    line: (record) => `${COLUMNS.map((column) => formatCell(record[column])).join(',')}\r\n`,
  },
  syslog: { head: '', line: syslogLine },
};
