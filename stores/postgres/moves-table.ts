import { setTimeout as sleep } from 'node:timers/promises';
import { createHeldError, HOLD_PAUSE_MS, type StoreMove, type StoreMoves } from '../moves.js';
import type { Database } from './database.js';
import { MOVE_HOLDS, MOVE_REFUSES } from './faults.js';

/** Lock number, chosen at random once. A move holds the lock exclusively, and each statement that writes shares it. */
const HOLD_LOCK = 7_105_823_117;
/** A move waits this long for writes that have begun, in milliseconds. */
const WAIT_MS = 20_000;

/** Tables that are no state: the mark itself, and the versions of tables. */
const OWN = "('store', 'migrations', 'row_migrations')";

/** Checks each statement that writes, from any version of this program. */
const REFUSE = `
  create or replace function provisioning.refuse_moved() returns trigger language plpgsql as $$
  declare
    kept jsonb := (select move from provisioning.store);
  begin
    if kept is not null and not (kept ->> 'state' = 'filling' and kept ->> 'setUp' = current_setting('provisioning.mover', true)) then
      raise exception '%', kept ->> 'other' using errcode = '${MOVE_REFUSES}';
    end if;
    if not pg_try_advisory_xact_lock_shared(${HOLD_LOCK}) then
      raise exception 'held' using errcode = '${MOVE_HOLDS}';
    end if;
    return null;
  end $$;
  do $$ declare one record; begin
    for one in select tablename from pg_tables where schemaname = 'provisioning' and tablename not in ${OWN} loop
      execute format('drop trigger if exists refuse_moved on provisioning.%I', one.tablename);
      execute format('create trigger refuse_moved before insert or update or delete or truncate on provisioning.%I
        for each statement execute function provisioning.refuse_moved()', one.tablename);
    end loop;
  end $$`;

const ALLOW = `do $$ declare one record; begin
    for one in select tablename from pg_tables where schemaname = 'provisioning' loop
      execute format('drop trigger if exists refuse_moved on provisioning.%I', one.tablename);
    end loop;
  end $$`;

/** The marks of moves in a team's store. Its database refuses the writes of all machines. */
export const movesTable = (database: Database): StoreMoves => ({
  async read() {
    const text = 'select move from provisioning.store';
    return (await database.query<{ move: StoreMove | null }>('read the store', text))[0]?.move ?? undefined;
  },
  async write(move) {
    const values = [move ? JSON.stringify(move) : null];
    await database.query('mark the store', 'update provisioning.store set move = $1', values);
    if (!move) await database.query('allow writes', ALLOW);
  },
  hold: (work) =>
    database.session('hold the store', async (query) => {
      await query(REFUSE);
      const lock = `select pg_try_advisory_lock(${HOLD_LOCK}) as held`;
      for (const until = Date.now() + WAIT_MS; !(await query<{ held: boolean }>(lock))[0]?.held; await sleep(HOLD_PAUSE_MS))
        if (Date.now() > until) throw createHeldError(database.name);
      // Uses the connection with the lock: if the lock is lost, the connection is lost too, and no mark is written.
      return work(async (move) => void (await query('update provisioning.store set move = $1', [JSON.stringify(move)])));
    }),
});
