import { dirname } from 'node:path';
import type Libsql from 'libsql';
import { bugError, inputError, messageOf, ProvisioningError, unreachableError } from '../../core/errors.js';
import { createFile } from '../../home/durable.js';
import { makePrivate } from '../../home/private-folder.js';
import type { RowMigration } from './migrations.js';
import { createQueries } from './queries.js';
import type { RowDatabase } from './row-database.js';

type Connection = InstanceType<typeof Libsql>;

/** Time that SQLite waits for another process, in milliseconds. This process is blocked while it waits. */
const BUSY_MS = 100;
/** After that the statement is tried again for this long, in milliseconds. */
const PATIENCE_MS = 20_000;
/**
 * Maximum number of prepared statements, and length above which statements are not prepared, in characters: those have
 * many rows, and are rare.
 */
const MOST_PREPARED = 100;
const LONG = 2_000;
/** Another process writes, or recovers the state of a killed one. */
const BUSY = /^SQLITE_(BUSY|LOCKED|PROTOCOL)/;
const NO_ROOM = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/;

/**
 * Opens the database file of a home and migrates its tables to this version. A missing file is created, with mode 0600
 * in a private folder. Commits are synced (`synchronous=full` over a write-ahead log): acknowledged writes survive a
 * power cut.
 *
 * @throws inputError `store-newer`, `folder-not-private`
 * @throws unreachableError `store-unreachable` if it stays locked, or the disk is full
 */
export async function openEmbeddedRows(path: string, migrations: readonly RowMigration[]): Promise<RowDatabase> {
  await makePrivate(dirname(path), 'keep rows of the home');
  // SQLite would create it with the umask of the process; its log and its index take the mode of the file.
  await createFile(path, '');
  const connection = await connect(path);
  try {
    await patiently('open the rows', path, () => {
      connection.exec(`pragma busy_timeout = ${BUSY_MS}`);
      connection.exec('pragma journal_mode = wal');
      connection.exec('pragma synchronous = full');
    });
    await patiently('open the rows', path, () => migrate(connection, path, migrations));
  } catch (error) {
    connection.close();
    throw error;
  }
  const run = createRunner(connection);
  return {
    dialect: 'embedded',
    name: path,
    queries: createQueries('embedded'),
    run: (what, { sql, parameters }) => patiently(what, path, () => run(sql, parameters) as never[]),
    close: async () => void connection.close(),
  };
}

async function connect(path: string): Promise<Connection> {
  try {
    const { default: Database } = await import('libsql');
    return new Database(path);
  } catch (error) {
    throw embeddedFault(error, 'open the rows', path);
  }
}

/** Creates a function that runs statements of a connection. Frequent statements are parsed once. */
function createRunner(connection: Connection): (sql: string, parameters: readonly unknown[]) => unknown[] {
  const prepared = new Map<string, ReturnType<Connection['prepare']>>();
  return (sql, parameters) => {
    const statement = prepared.get(sql) ?? connection.prepare(sql);
    // One that fails is not used again, whatever state it is in.
    prepared.delete(sql);
    const answer = answerOf(connection, statement, { sql, parameters });
    if (sql.length > LONG) return answer;
    // The least recently used statement is the first.
    if (prepared.size >= MOST_PREPARED) prepared.delete(prepared.keys().next().value as string);
    prepared.set(sql, statement);
    return answer;
  };
}

function answerOf(
  connection: Connection,
  statement: ReturnType<Connection['prepare']>,
  { sql, parameters }: { sql: string; parameters: readonly unknown[] },
): unknown[] {
  if (!statement.reader) {
    statement.run([...parameters]);
    return [];
  }
  const read = () => statement.all([...parameters]);
  return /^\s*select\b/i.test(sql) ? read() : committed(connection, read);
}

/**
 * Runs work in its own transaction. A statement that writes and returns rows needs one. Its implicit commit may find
 * the database busy with another process, and libsql then returns the rows of a write that did not happen.
 */
function committed<T>(connection: Connection, work: () => T): T {
  connection.exec('begin immediate');
  try {
    const result = work();
    connection.exec('commit');
    return result;
  } catch (error) {
    if (connection.inTransaction) connection.exec('rollback');
    throw error;
  }
}

/**
 * Retries a statement while the database is busy. Statements are synchronous, so within one process no statement waits
 * for another.
 */
async function patiently<T>(what: string, on: string, work: () => T): Promise<T> {
  for (const until = Date.now() + PATIENCE_MS; ; await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20))) {
    try {
      return work();
    } catch (error) {
      if (BUSY.test(codeOf(error)) && Date.now() < until) continue;
      throw embeddedFault(error, what, on);
    }
  }
}

function migrate(connection: Connection, on: string, migrations: readonly RowMigration[]): void {
  // One lock: if several processes open the file at once, one migrates and the others find it done.
  connection.exec('begin immediate');
  try {
    const { user_version: version } = connection.prepare('pragma user_version').get([]) as { user_version: number };
    if (version > migrations.length) throw newerRows(on, version, migrations.length);
    for (const step of migrations.slice(version)) for (const statement of step('embedded')) connection.exec(statement);
    if (version < migrations.length) connection.exec(`pragma user_version = ${migrations.length}`);
    connection.exec('commit');
  } catch (error) {
    if (connection.inTransaction) connection.exec('rollback');
    throw error;
  }
}

/** The error for tables of rows that a newer version made. */
export const newerRows = (on: string, version: number, known: number): ProvisioningError =>
  inputError({
    code: 'store-newer',
    what: 'open the store',
    on,
    why: `its rows belong to a newer version of provisioning (${version}, this version supports ${known})`,
    hint: 'install the version that wrote them',
  });

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');

function embeddedFault(error: unknown, what: string, on: string): ProvisioningError {
  if (error instanceof ProvisioningError) return error;
  const why = messageOf(error);
  const options = { cause: error };
  if (BUSY.test(codeOf(error))) {
    const hint = 'end the process that keeps the file locked';
    return unreachableError({ code: 'store-unreachable', what, on, why, hint }, options);
  }
  if (NO_ROOM.test(codeOf(error))) {
    const hint = 'check the free space and the permissions of the folder';
    return unreachableError({ code: 'store-unreachable', what, on, why, hint }, options);
  }
  const hint =
    codeOf(error) === 'MODULE_NOT_FOUND' ? 'run npm install --include=optional: libsql is prebuilt in such packages' : undefined;
  return bugError({ code: 'store-failed', what, on, why, ...(hint && { hint }) }, options);
}
