import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { RowTable, SortedPosition, SortedRange } from '../../rows.js';
import { type AnyCollection, columnsOf } from '../collection.js';
import { tableName } from '../migrations.js';
import { limitOf } from '../page.js';
import type { RowContent } from '../row-content.js';
import type { RowDatabase } from '../row-database.js';

/** Rows of one statement. PostgreSQL accepts 65,535 values a statement, an embedded database 32,766. */
const MOST = 500;

type AnyTable = Extract<AnyCollection, { kind: 'table' }>;
type SortedTable<Row> = Pick<RowTable<Row, string>, 'putNewest' | 'listNewest' | 'countSorted' | 'deleteSorted'>;

/** The sorted lists of a table. Each is read by an index of its own, whatever the number of rows. */
export function createSortedRows<Row extends object>(
  database: RowDatabase,
  collection: AnyTable,
  content: RowContent,
): SortedTable<Row> {
  const { name, sorting } = collection;
  const key: readonly string[] = collection.key;
  const { queries, dialect } = database;
  const into = sql.raw(tableName(dialect, name));

  const columnsInOrder = (): { by: string; within: readonly (readonly string[])[] } => {
    if (sorting) return sorting;
    throw new TypeError(`${name} has no sorted lists`);
  };
  /** Columns that order a list: the sorting text, then the key. */
  const place = () => [columnsInOrder().by, ...key];
  const refs = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));

  function conditions({ where, from, below }: SortedRange, after?: SortedPosition): RawBuilder<unknown> {
    const { by, within } = columnsInOrder();
    const known = new Set(within.flat());
    const unknown = Object.keys(where).find((column) => !known.has(column));
    const list = findList(within, where);
    if (!list || unknown !== undefined) throw new TypeError(`${name} has no sorted list by ${Object.keys(where).join(', ')}`);
    const terms = Object.entries(where).map(([column, value]) =>
      // A database without statistics chooses any of two indexes: the plus excludes the index of another column.
      dialect === 'embedded' && !list.includes(column) ? sql`+${sql.ref(column)} = ${value}` : sql`${sql.ref(column)} = ${value}`,
    );
    if (from !== undefined) terms.push(sql`${sql.ref(by)} >= ${from}`);
    // With two upper limits SQLite would begin at the first, and read earlier pages again. The plus excludes this term
    // from the index.
    const plus = sql.raw(dialect === 'embedded' && after ? '+' : '');
    if (below !== undefined) terms.push(sql`${plus}${sql.ref(by)} < ${below}`);
    if (after) terms.push(sql`(${refs(place())}) < (${sql.join([...after])})`);
    return sql.join(terms, sql` and `);
  }

  return {
    async putNewest(rows) {
      const { by } = columnsInOrder();
      const columns = [...columnsOf(collection), 'revision', 'content'];
      const stored = await Promise.all(rows.map((row) => content.encode(row)));
      // A statement cannot write a row twice.
      const unique = [...new Map(stored.map((one) => [JSON.stringify(key.map((column) => one.columns[column])), one])).values()];
      const replaced = sql.join(columns.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`));
      for (let first = 0; first < unique.length; first += MOST) {
        const values = unique.slice(first, first + MOST).map((one) => {
          const texts: Record<string, unknown> = { ...one.columns, revision: randomUUID(), content: one.content };
          return sql`(${sql.join(columns.map((column) => texts[column]))})`;
        });
        const query = sql`insert into ${into} as former (${refs(columns)}) values ${sql.join(values)}
          on conflict (${refs(key)}) do update set ${replaced}
          where former.${sql.ref(by)} <= excluded.${sql.ref(by)}`;
        await database.run('write rows', query.compile(queries));
      }
    },

    async listNewest({ after, limit, ...range }) {
      const most = limitOf(limit === undefined ? {} : { limit });
      const columns = place();
      if (after && after.length !== columns.length) throw new TypeError(`${name} has no such place`);
      const order = sql.join(columns.map((column) => sql`${sql.ref(column)} desc`));
      const query = sql`select * from ${into} where ${conditions(range, after)} order by ${order} limit ${sql.lit(most + 1)}`;
      const found = await database.run<Record<string, unknown>>('list rows', query.compile(queries));
      const rows = await Promise.all(found.slice(0, most).map((one) => content.decode(one) as Promise<Row>));
      return { rows, more: found.length > most };
    },

    async countSorted(range) {
      const query = sql`select count(*) as number from ${into} where ${conditions(range)}`;
      const [found] = await database.run<{ number: number | string }>('count rows', query.compile(queries));
      return Number(found?.number ?? 0);
    },

    async deleteSorted(range) {
      await database.run('delete old rows', sql`delete from ${into} where ${conditions(range)}`.compile(queries));
    },
  };
}

/** The list that most columns of a condition select: the first one of several. */
function findList(within: readonly (readonly string[])[], where: Readonly<Record<string, string>>): readonly string[] | undefined {
  const fitting = within.filter((columns) => columns.every((column) => Object.hasOwn(where, column)));
  return fitting.reduce<readonly string[] | undefined>((best, one) => (best && best.length >= one.length ? best : one), undefined);
}
