/** Between which servers the data of a service moves, and for which operation. */
export interface MoveContext {
  /** The id of the operation. */
  operation: string;
  /** The server that served until now. */
  from: string;
  /** The server that serves from now on. */
  to: string;
  /** A file on the new server that only root can change, for what a roll-back has to know. */
  note: string;
  /** The version that is wanted on the new server. */
  version: string;
  /** How the service was installed on the former server. */
  former: { version: string; config: unknown };
}

/**
 * One part of a move. `bash -euo pipefail` runs all scripts as root. They have no secrets, and can be repeated: a part
 * whose worker died runs again from its beginning.
 */
export type MovePart = {
  /** Imperative; for people. */
  title: string;
  /** The service is out of service from here on. */
  interrupts?: true;
} & (
  | { on: 'former' | 'new'; run: string /** Never deletes the data of the former server. */; undo?: string }
  | {
      /** Prints data on the former server; gets the answer of `asks` as `$ASKED`. */
      read: string;
      /** Takes that data from standard input on the new server. */
      write: string;
      /** Asks the new server what it has: one word of letters, digits and dots, or nothing. */
      asks: string;
    }
);

/** How the data of a service moves to another server, the former copy being kept. */
export interface DataMove {
  parts: MovePart[];
  /**
   * Asks the new server whether something was written there since it serves: prints what, in one line, or nothing.
   * It changes nothing.
   */
  written: string;
}

/** How a move of data is undone. */
export interface MovedData {
  undo: 'moved-data';
  taskserv: string;
  from: string;
  to: string;
  move: DataMove;
  /** How many of its parts were begun. */
  begun: number;
  /** All of them are done. */
  done?: true;
}
