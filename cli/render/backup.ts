import type { BackupInfo } from '../../core/engine/backup.js';
import { sizeText } from '../../core/limits.js';
import { columns, paintFor } from '../program/screen.js';
import type { Session } from '../session.js';

const KINDS: Readonly<Record<string, string>> = {
  engine: 'database',
  file: 'files',
  sequence: 'states',
  key: 'keys',
  secret: 'secrets',
  rollback: 'roll-back data',
  blob: 'pages',
  payload: 'payloads',
  log: 'logs',
};

/** What a backup has, and what a person should know of it. */
export function writeBackup(session: Session, info: BackupInfo & { notes: string[] }, more: [string, string][]): void {
  const paint = paintFor(session.out);
  const contents = Object.entries(info.contents).map(
    ([kind, { count, bytes }]) => `${count} ${KINDS[kind] ?? kind} (${sizeText(bytes)})`,
  );
  const running = info.operations ? `, ${info.operations} operations at work` : '';
  const rows: [string, string][] = [
    ['backup', `${info.file} (${sizeText(info.bytes)})`],
    ['made', `${info.created}, of the set-up ${info.setup}${info.infras === undefined ? '' : `: ${info.infras} infras${running}`}`],
    ['key', `${info.key}, not in it`],
    ['engine', engineOf(info)],
    ['store', info.store],
    ['has', contents.join(', ')],
    ...more,
  ];
  const lines = columns(rows.map(([title, text]) => [paint('dim', title), text]));
  const notes = info.notes.map((note) => `${paint('yellow', 'note:')} ${note}`);
  session.out.write(`${[...lines, ...notes].join('\n')}\n`);
}

function engineOf({ engine }: BackupInfo): string {
  if (engine.kind === 'own') return `Temporal ${engine.line}, its database`;
  return engine.kind === 'configured' ? `the Temporal service at ${engine.address}, whose data is not in it` : 'none yet';
}
