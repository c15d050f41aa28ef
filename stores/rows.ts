import type { LogCollection, TableCollection } from './rows/collection.js';

/** A row with the mark of its last change. */
export interface RevisedRow<Row> {
  row: Row;
  /** Another text after each change of the row. */
  revision: string;
}

export interface Page {
  /** The `next` of the page before; absent: from the beginning. */
  after?: string;
  /** Default 100, at most 1,000. */
  limit?: number;
  /** Texts of indexed columns that rows must have. */
  where?: Readonly<Record<string, string>>;
}

/** Rows of a sorted list, newest first. */
export interface SortedRange {
  /** Texts that rows must have: at least for all columns of one of the collection's sorted lists. */
  where: Readonly<Record<string, string>>;
  /** Only rows with this sorting text or a later one. */
  from?: string | undefined;
  /** Only rows with an earlier sorting text. */
  below?: string | undefined;
}

/** A place in a sorted list: the sorting text of a row, then its key. */
export type SortedPosition = readonly string[];

/** Rows that are found by a key. An acknowledged write is on disk. */
export interface RowTable<Row, Key extends string> {
  get(key: Readonly<Record<Key, string>>): Promise<RevisedRow<Row> | undefined>;
  /** Creates a row or replaces it. @returns its revision */
  put(row: Row): Promise<string>;
  /**
   * Writes a row if it has not changed since it was read.
   *
   * @param expected the revision that was read; undefined: there must be no row of this key
   * @returns its new revision; undefined if the row has another revision, is missing, or exists already
   */
  compareAndSet(row: Row, expected: string | undefined): Promise<string | undefined>;
  /** @param expected absent: whatever its revision. @returns whether a row was deleted */
  delete(key: Readonly<Record<Key, string>>, expected?: string): Promise<boolean>;
  /** Rows in the order of their keys. A row that exists during the whole listing is on exactly one page. */
  list(page?: Page): Promise<{ rows: RevisedRow<Row>[]; next?: string }>;
  /**
   * Creates rows, or replaces rows unless their sorting text is later. Up to 500 rows are written all or not at all.
   * If a key occurs twice, its last row counts.
   */
  putNewest(rows: readonly Row[]): Promise<void>;
  /**
   * Returns rows of a sorted list, the latest sorting text first. Rows that are inserted during a listing move none.
   *
   * @param after the place of the row before
   * @param limit default 100, at most 1,000
   */
  listNewest(range: SortedRange & { after?: SortedPosition | undefined; limit?: number }): Promise<{ rows: Row[]; more: boolean }>;
  /** Counts the rows in a sorted list. */
  countSorted(range: SortedRange): Promise<number>;
  /** Deletes rows of a sorted list. */
  deleteSorted(range: SortedRange): Promise<void>;
}

/** Rows that are only appended. */
export interface RowLog<Row> {
  /**
   * Appends rows in one write, combined with concurrent appends; resolves once they are on disk. Up to 500 rows are
   * appended all or not at all.
   */
  append(rows: readonly Row[]): Promise<void>;
  /** Appends at once, without combining: for callers that have combined rows already. At most 500 rows. */
  appendNow(rows: readonly Row[]): Promise<void>;
  /** Rows in the order that they were appended. No row is added before a row that was listed. */
  list(page?: Page): Promise<{ rows: { row: Row; sequence: number }[]; next?: string }>;
  /** As `list`, and reports the faults of altered rows. */
  inspect(page?: Page): Promise<{ rows: (({ row: Row } | AlteredRow) & { sequence: number })[]; next?: string }>;
  /** Deletes the rows that have this text in an indexed column, up to a sequence number. */
  deleteThrough(where: Readonly<Record<string, string>>, sequence: number): Promise<void>;
}

/** A row that does not open, or does not have the format of its collection. */
export interface AlteredRow {
  row?: undefined;
  /** Its key, as the database has it. */
  id: string;
  fault: string;
}

/** The collections of `rows/collections.ts`, in a database file of the home or in the team's PostgreSQL. */
export interface Rows {
  table<Row extends object, Key extends string>(collection: TableCollection<Row, Key>): RowTable<Row, Key>;
  log<Row extends object>(collection: LogCollection<Row>): RowLog<Row>;
  /** All rows as pages for another store: the collection, the number of the page, and its rows. */
  read(): AsyncGenerator<{ name: [string, string]; bytes: Buffer }>;
  /** Stores a page of another store. @throws inputError `bad-record` */
  write(name: readonly string[], bytes: Buffer): Promise<void>;
  /** Deletes the rows of a page, as `read` gave it. @throws inputError `bad-record` */
  remove(name: readonly string[], bytes: Buffer): Promise<void>;
  close(): Promise<void>;
}
