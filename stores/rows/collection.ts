import type * as z from 'zod';

/** Names of text columns in a row. Keys and indexes consist of them. */
type TextColumn<Row> = { [C in keyof Row]: Row[C] extends string | undefined ? C : never }[keyof Row] & string;
/** The columns of a row that always have a text. */
type KeyColumn<Row> = { [C in keyof Row]: Row[C] extends string ? C : never }[keyof Row] & string;

interface Declaration<Row> {
  /** Name of its database table: `audit_events`. */
  name: string;
  /** Judges each row that is written or read. */
  row: z.ZodType<Row>;
  /** Columns that `list` can select by. Like the key, they stay readable in the database if rows are sealed. */
  indexes: readonly TextColumn<Row>[];
  /** Whether rows are encrypted with the keys of the home, each for its collection and key. */
  sealed: boolean;
}

/** Lists of a table that are sorted by another column than its key. */
export interface SortOrder<Row = unknown> {
  /** Its texts sort as they are, such as times (ISO time, UTC). */
  by: KeyColumn<Row>;
  /** The columns that a list is selected by, for each list. Each has an index, which ends with `by` and the key. */
  within: readonly (readonly KeyColumn<Row>[])[];
}

/** Rows that are found by a key and changed one by one. */
export interface TableCollection<Row = unknown, Key extends string = string> extends Declaration<Row> {
  kind: 'table';
  /** The columns that identify a row, in the order that rows are listed. */
  key: readonly Key[];
  sorting?: SortOrder<Row>;
}

/** Rows that are only appended, and listed in that order. */
export interface LogCollection<Row = unknown> extends Declaration<Row> {
  kind: 'log';
  /** The column that identifies a row: an append that is repeated adds no second row. */
  id: KeyColumn<Row>;
  /** Number of newest rows to keep. Older rows are deleted about once in a thousand appended rows. */
  keep: number;
  /** Rows whose column has this text are counted separately: many of them delete no other rows, and the reverse. */
  apart?: { column: TextColumn<Row>; text: string; keep: number };
}

// biome-ignore lint/suspicious/noExplicitAny: the table of collections holds rows of many types
export type AnyCollection = TableCollection<any, any> | LogCollection<any>;

/** Declares a collection of rows that are found by a key. */
export const table = <Row extends object, Key extends KeyColumn<Row>>(
  declared: Declaration<Row> & { key: readonly Key[]; sorting?: SortOrder<Row> },
): TableCollection<Row, Key> => ({ kind: 'table', ...declared });

/** Declares a collection of rows that are only appended. */
export const log = <Row extends object>(
  declared: Declaration<Row> & Pick<LogCollection<Row>, 'id' | 'keep' | 'apart'>,
): LogCollection<Row> => ({
  kind: 'log',
  ...declared,
});

/** The columns that identify a row. */
export const keyOf = (collection: AnyCollection): readonly string[] =>
  collection.kind === 'table' ? collection.key : [collection.id];

/** Returns the database columns of a row beside its content. */
export const columnsOf = (collection: AnyCollection): readonly string[] => [
  ...new Set([...keyOf(collection), ...(collection.indexes as readonly string[]), ...sortedColumns(collection)]),
];

const sortedColumns = (collection: AnyCollection): readonly string[] =>
  collection.kind === 'table' && collection.sorting ? [...collection.sorting.within.flat(), collection.sorting.by] : [];
