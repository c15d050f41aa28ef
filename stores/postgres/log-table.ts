import type { Cipher } from '../../encryption/cipher.js';
import { contextOfLog, type LogKey, type LogStore } from '../logs.js';
import type { Database } from './database.js';

/** What is written waits this long for more, in milliseconds. */
const GATHER_MS = 500;
/** A part is cut at about this many characters. */
const PART_CHARACTERS = 256 * 1024;
/** How long the end of a log waits for a store that is away. */
const CLOSE_MS = 15_000;

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
      let waiting = '';
      let part = 0;
      let closed = false;
      let timer: NodeJS.Timeout | undefined;
      let flushing: Promise<void> = Promise.resolve();

      const flush = async () => {
        while (waiting !== '') {
          const text = waiting.slice(0, partEnd(waiting));
          await writePart(key, part, text);
          waiting = waiting.slice(text.length);
          part++;
        }
      };
      const later = () => {
        if (closed) return;
        timer ??= setTimeout(() => {
          timer = undefined;
          flushing = flushing.then(flush).catch(later);
        }, GATHER_MS);
      };
      return {
        write(text) {
          // Work that outlives its attempt may still be speaking: the next attempt hears it again.
          if (closed || text === '') return;
          waiting += text;
          later();
        },
        async close() {
          closed = true;
          clearTimeout(timer);
          await flushing.catch(() => {});
          for (const until = Date.now() + CLOSE_MS; ; await pause(GATHER_MS)) {
            try {
              return await flush();
            } catch (error) {
              if (Date.now() > until) throw error;
            }
          }
        },
      };
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

/** Where a part ends: never between the two halves of a character. */
export function partEnd(text: string, most = PART_CHARACTERS): number {
  const last = text.charCodeAt(most - 1);
  return last >= 0xd800 && last <= 0xdbff ? most - 1 : most;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
