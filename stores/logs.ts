/** Store of the output of hosts, outside of history. Key: operation / server / taskserv / attempt. */
export interface LogStore {
  /** A writer for one attempt. The attempt replays the host's journal from its start, so each is complete. */
  open(key: LogKey): Promise<{ write(text: string): void; close(): Promise<void> }>;
  /** The last attempt of every unit in an operation, sorted by name. */
  read(operation: string): Promise<{ server: string; taskserv: string; text: string }[]>;
}

/** Returns the context that a part of a log is sealed for, so that it cannot replace another part. */
export const contextOfLog = ({ operation, server, taskserv, generation, attempt }: LogKey, part: number): string =>
  ['log', operation, server, taskserv, generation, attempt, part].join('/');

export interface LogKey {
  operation: string;
  server: string;
  taskserv: string;
  generation: number;
  attempt: number;
}
