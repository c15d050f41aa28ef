import type {
  BackupInfo,
  BackupListing,
  BackupRestoration,
  BackupVerification,
  NewBackup,
  SweepResult,
} from '../../../core/engine/backup.js';
import type { StoreSize } from '../../../core/engine/engine.js';
import { sizeText } from '../../../core/limits.js';
import type { RecordKind } from '../../../stores/records.js';
import { columns, type Paint } from '../../program/screen.js';
import { renderTable } from '../inventory.js';

type Row = [title: string, text: string];

/** Display names for the kinds of records. */
export const KINDS: Readonly<Record<'engine' | 'file' | RecordKind, string>> = {
  engine: 'database',
  file: 'files',
  sequence: 'states',
  feed: 'feeds',
  key: 'keys',
  'secret-version': 'versions of secrets',
  secret: 'secrets',
  'secret-read': 'reads of secrets',
  rollback: 'roll-back data',
  rows: 'collections of rows',
  blob: 'pages',
  payload: 'payloads',
  log: 'logs',
};

/** Renders a backup's contents and notes. */
export function backupText(info: BackupInfo & { notes: string[] }, more: Row[], paint: Paint): string {
  const names: Record<string, string> = KINDS;
  const contents = Object.entries(info.contents).map(
    ([kind, { count, bytes }]) => `${count} ${names[kind] ?? kind} (${sizeText(bytes)})`,
  );
  const running = info.operations ? `, ${info.operations} operations at work` : '';
  const rows: Row[] = [
    ['backup', `${info.file} (${sizeText(info.bytes)})`],
    ['made', `${info.created}, of the set-up ${info.setup}${info.infras === undefined ? '' : `: ${info.infras} infras${running}`}`],
    ['key', `${info.key}, not in it`],
    ['engine', engineOf(info)],
    ['store', info.store],
    ['has', contents.join(', ')],
    ...more,
  ];
  const notes = info.notes.map((note) => `${paint('yellow', 'note:')} ${note}\n`);
  return `${linesOf(rows, paint)}${notes.join('')}`;
}

/** Renders what a new backup lacks, and how to restore it. */
export function recoveryText({ hint, restore }: NewBackup, paint: Paint): string {
  const missing = hint ? `${paint('yellow', 'hint:')} ${hint}\n` : '';
  return `${missing}to restore it on another machine, with this program and an empty home:\n${restore.map((line) => `  ${line}\n`).join('')}`;
}

/** Renders the verified origin of a backup. */
export const sealRow = ({ seal, opened, recovery }: BackupVerification): Row => {
  const by = recovery === undefined ? 'our key' : `a key of the recovery copy ${recovery}`;
  return ['seal', seal === 'authentic' ? `made with ${by}; ${opened} entries opened` : 'not proven'];
};

export const renderRestored = ({ restored, home, into }: BackupRestoration): Row => [
  'restored',
  `${restored} entries into ${home} and ${into}`,
];

/** Renders a folder of backups. Invalid files are listed with the reason. */
export function backupListText(listed: readonly BackupListing[], paint: Paint): string {
  const rows = listed.map((one) =>
    'problem' in one
      ? [paint('red', 'none'), '', '', '', one.file, one.problem]
      : [one.created, one.setup, one.key, sizeText(one.bytes), one.file],
  );
  return renderTable(['MADE', 'SET-UP', 'KEY', 'SIZE', 'FILE'], rows, 'no backups', paint);
}

/** Renders the entries of the payload store that a sweep removed or would remove. */
export function sweepText(found: SweepResult, paint: Paint): string {
  const { removed, histories, stored, garbage, young, foreign, missing } = found;
  const rows: Row[] = [
    ['histories', `${histories} read`],
    [removed ? 'removed' : 'to remove', amount(garbage)],
    ['younger', `${amount(young)}: nothing refers to them, and they may be on their way`],
    ...(foreign.count > 0 ? [['not ours', `${amount(foreign)}: of another namespace or key, kept`] satisfies Row] : []),
    [removed ? 'left' : 'stored', amount(stored)],
  ];
  const lost = missing.map((sha256) => [paint('red', 'missing'), `${sha256}: a history refers to it`] satisfies Row);
  return linesOf([...rows, ...lost], paint);
}

const amount = ({ count, bytes }: StoreSize): string => `${count} payloads, ${sizeText(bytes)}`;

const linesOf = (rows: readonly Row[], paint: Paint): string =>
  `${columns(rows.map(([title, text]) => [paint('dim', title), text])).join('\n')}\n`;

function engineOf({ engine }: BackupInfo): string {
  if (engine.kind === 'own') return `Temporal ${engine.line}, its database`;
  return engine.kind === 'configured' ? `the Temporal service at ${engine.address}, whose data is not in it` : 'none yet';
}
