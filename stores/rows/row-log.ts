import { type RawBuilder, sql } from 'kysely';
import { ProvisioningError } from '../../core/errors.js';
import type { AlteredRow, Page, RowLog } from '../rows.js';
import { columnsOf, type LogCollection } from './collection.js';
import { groupWrites } from './grouped.js';
import { tableName } from './migrations.js';
import { conditionsOf, decodePosition, encodePosition, limitOf } from './page.js';
import { type RowSealer, rowContent, type StoredRow } from './row-content.js';
import type { RowDatabase } from './row-database.js';

/** Rows of one statement. PostgreSQL accepts 65,535 values a statement, an embedded database 32,766. */
const MOST = 500;
/** Number of appended rows after which old rows are deleted. */
const PRUNE_AFTER = 1_000;
/** Lock number, chosen at random once: an append to a log holds the lock, together with the name of the log. */
const APPEND_LOCK = 1_905_662_417;

/** Codes of a row that was altered. Others, such as a missing key, say nothing of the row. */
const ALTERATION_CODES: ReadonlySet<string> = new Set(['sealed-altered', 'not-sealed', 'store-failed']);

type Found = Record<string, unknown> & { sequence: number | string };

/** Access to the rows of a log for a move to another store. */
interface KeptLog<Row> {
  /** Inserts rows with their numbers. */
  keep(rows: readonly { row: Row; sequence: number }[]): Promise<void>;
  drop(sequences: readonly number[]): Promise<void>;
}

/** Rows that are only appended, with the numbers of their order. */
export function rowLog<Row extends object>(
  database: RowDatabase,
  collection: LogCollection<Row>,
  sealer: RowSealer,
): RowLog<Row> & KeptLog<Row> {
  const { name, id, keep, apart } = collection;
  const { queries, dialect } = database;
  const content = rowContent(collection, sealer);
  const columns = [...columnsOf(collection), 'content'];
  // A process that starts deletes the old rows of others.
  let sincePruned = PRUNE_AFTER;

  async function append(rows: readonly StoredRow[]): Promise<void> {
    for (let from = 0; from < rows.length; from += MOST)
      await database.run('append rows', insertOf(rows.slice(from, from + MOST)).compile(queries));
    sincePruned += rows.length;
    if (sincePruned < PRUNE_AFTER || keep === Number.POSITIVE_INFINITY) return;
    try {
      await prune();
      sincePruned = 0;
    } catch {
      // The rows are written. Old ones are deleted next time.
    }
  }

  function insertOf(rows: readonly StoredRow[]): RawBuilder<unknown> {
    const into = sql.raw(`insert into ${tableName(dialect, name)} (${columns.join(', ')})`);
    const end = sql.raw(`on conflict (${id}) do nothing returning sequence`);
    const values = rows.map((row) => valuesOf(row));
    if (dialect === 'embedded') return sql`${into} values ${sql.join(values.map((row) => sql`(${sql.join(row)})`))} ${end}`;
    // PostgreSQL assigns numbers before it commits: without the lock a lower number could appear after a higher one
    // was read. The order keeps the inner query separate, so that numbers are assigned under the lock.
    const types = columns.map((column) => (column === 'content' ? 'bytea' : 'text'));
    const typed = values.map(
      (row, at) => sql`(${sql.raw(String(at))}, ${sql.join(row.map((value, of) => sql`${value}::${sql.raw(types[of] ?? '')}`))})`,
    );
    const selected = sql.raw(columns.map((column) => `added.${column}`).join(', '));
    const named = sql.raw(`added (at, ${columns.join(', ')})`);
    const lock = sql`(select pg_advisory_xact_lock(${sql.lit(APPEND_LOCK)}, hashtext(${name}))) held`;
    return sql`${into} select ${selected} from ${lock} cross join (values ${sql.join(typed)}) ${named} order by added.at ${end}`;
  }

  const valuesOf = (row: StoredRow): unknown[] =>
    columns.map((column) => (column === 'content' ? row.content : row.columns[column]));

  async function prune(): Promise<void> {
    if (!apart) return pruneAll();
    // Their numbers say nothing of how many there are.
    await pruneOnes('<>', apart.text, keep);
    await pruneOnes('=', apart.text, apart.keep);
  }

  async function pruneOnes(operator: '=' | '<>', text: string, most: number): Promise<void> {
    const column: string = (apart as NonNullable<typeof apart>).column;
    const newestToDelete = queries
      .selectFrom(name)
      .select('sequence')
      .where(column, operator, text)
      .orderBy('sequence', 'desc')
      .offset(most)
      .limit(1);
    const [found] = await database.run<{ sequence: number | string }>('delete old rows', newestToDelete.compile());
    if (!found) return;
    const old = queries.deleteFrom(name).where(column, operator, text).where('sequence', '<=', Number(found.sequence));
    await database.run('delete old rows', old.compile());
  }

  async function pruneAll(): Promise<void> {
    const newest = queries.selectFrom(name).select(({ fn }) => fn.max('sequence').as('newest'));
    const [found] = await database.run<{ newest: number | string | null }>('delete old rows', newest.compile());
    const last = Number(found?.newest ?? 0) - keep;
    if (last <= 0) return;
    await database.run('delete old rows', queries.deleteFrom(name).where('sequence', '<=', last).compile());
  }

  async function find(page: Page) {
    const limit = limitOf(page);
    let query = queries
      .selectFrom(name)
      .selectAll()
      .orderBy('sequence')
      .limit(limit + 1);
    for (const [column, value] of conditionsOf(collection, page)) query = query.where(column, '=', value);
    if (page.after !== undefined) query = query.where('sequence', '>', Number(decodePosition(page.after, collection, 1)[0]));
    const rows = await database.run<Found>('list rows', query.compile());
    const found = rows.slice(0, limit);
    return { found, next: rows.length > limit && { next: encodePosition([String(found.at(-1)?.sequence)]) } };
  }

  async function inspect(found: Found): Promise<({ row: Row } | AlteredRow) & { sequence: number }> {
    const sequence = Number(found.sequence);
    try {
      return { row: (await content.decode(found)) as Row, sequence };
    } catch (error) {
      if (!(error instanceof ProvisioningError) || !ALTERATION_CODES.has(error.details.code)) throw error;
      return { id: String(found[id]), fault: error.details.why, sequence };
    }
  }

  const write = groupWrites<StoredRow>(append, MOST);

  return {
    // Rows are sealed first: a row that its schema refuses does not fail the rows of other calls.
    append: async (rows) => write(await Promise.all(rows.map((row) => content.encode(row)))),

    appendNow: async (rows) => append(await Promise.all(rows.map((row) => content.encode(row)))),

    async list(page = {}) {
      const { found, next } = await find(page);
      const rows = await Promise.all(
        found.map(async (one) => ({ row: (await content.decode(one)) as Row, sequence: Number(one.sequence) })),
      );
      return { rows, ...next };
    },

    async inspect(page = {}) {
      const { found, next } = await find(page);
      return { rows: await Promise.all(found.map(inspect)), ...next };
    },

    async deleteThrough(where, sequence) {
      let query = queries.deleteFrom(name).where('sequence', '<=', sequence);
      for (const [column, value] of conditionsOf(collection, { where })) query = query.where(column, '=', value);
      await database.run('delete old rows', query.compile());
    },

    async drop(sequences) {
      if (sequences.length === 0) return;
      await database.run(
        'delete rows',
        queries
          .deleteFrom(name)
          .where('sequence', 'in', [...sequences])
          .compile(),
      );
    },

    async keep(rows) {
      const values = await Promise.all(
        rows.map(async ({ row, sequence }) => {
          const { columns: texts, content: bytes } = await content.encode(row);
          return { sequence, ...texts, content: bytes };
        }),
      );
      for (let from = 0; from < values.length; from += MOST) {
        const insert = queries.insertInto(name).values(values.slice(from, from + MOST));
        const once = insert.onConflict((conflict) => conflict.doNothing()).returning('sequence');
        await database.run('keep rows', once.compile());
      }
      if (dialect === 'embedded') return;
      // The next assigned number follows the stored ones.
      const next = sql`select setval(pg_get_serial_sequence(${tableName(dialect, name)}, 'sequence'), max(sequence))
        from ${sql.raw(tableName(dialect, name))} having max(sequence) is not null`;
      await database.run('number the rows', next.compile(queries));
    },
  };
}
