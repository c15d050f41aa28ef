import type { Cipher } from '../../encryption/cipher.js';
import { createGatheredLog } from '../gathered-log.js';
import { contextOfLog, type LogKey, type LogStore } from '../logs.js';
import type { Database } from './database.js';

interface Row {
  server: string;
  taskserv: string;
  generation: number;
  attempt: number;
  part: number;
  sealed: Buffer;
}

/** Logs in the team's store, in sealed parts. A store that is away for a while loses nothing: parts wait here. */
export function logTable(database: Database, cipher: Cipher): LogStore {
  return {
    async open(key) {
      return createGatheredLog((part, text) => writePart(key, part, text));
    },

    async read(operation) {
      const rows = await database.query<Row>(
        'read logs',
        `select server, taskserv, generation, attempt, part, sealed from provisioning.logs as parts
         where operation = $1 and attempt = (
           select max(attempt) from provisioning.logs
           where operation = parts.operation and server = parts.server and taskserv = parts.taskserv
             and generation = parts.generation)
         order by part`,
        [operation],
      );
      const units = new Map<string, { server: string; taskserv: string; text: string }>();
      for (const { sealed, part, ...unit } of rows) {
        const name = `${unit.server}/${unit.taskserv}/${unit.generation}`;
        const known = units.get(name) ?? { server: unit.server, taskserv: unit.taskserv, text: '' };
        const text = (await cipher.open(sealed, contextOfLog({ operation, ...unit }, part))).toString('utf8');
        units.set(name, { ...known, text: known.text + text });
      }
      return [...units.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
    },
  };

  async function writePart(key: LogKey, part: number, text: string): Promise<void> {
    const { operation, server, taskserv, generation, attempt } = key;
    await database.query(
      'keep a log',
      `insert into provisioning.logs (operation, server, taskserv, generation, attempt, part, sealed)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (operation, server, taskserv, generation, attempt, part) do update set sealed = excluded.sealed`,
      [operation, server, taskserv, generation, attempt, part, cipher.seal(Buffer.from(text), contextOfLog(key, part))],
    );
  }
}
