import type { DemoEffect, DemoState } from './state.js';

const TABLES = ['servers', 'networks', 'volumes', 'others', 'backups', 'elsewhere'] as const;
const FIELDS = ['settings', 'window', 'notBefore', 'early', 'pauses', 'calls', 'foreignNetworks'] as const;
type Table = (typeof TABLES)[number];

/** Announces what a change will touch: an entry of a table, or the account's own fields. */
export type Touch = (what: Table | 'account', id?: string) => void;

/** Line of the journal: the new entries and fields, and the effects. */
interface Line extends Partial<Record<Table, Record<string, unknown /** Null for a deleted entry. */>>> {
  account?: Partial<Pick<DemoState, (typeof FIELDS)[number]>>;
  effects?: DemoEffect[];
}

/** Collects what changes touch, and writes it as one line. */
export function scribe(state: DemoState): { touch: Touch; line(): string } {
  const touched = Object.fromEntries(TABLES.map((table) => [table, new Set<string>()])) as Record<Table, Set<string>>;
  const known = state.effects.length;
  let account = false;
  return {
    touch(what, id = '') {
      if (what === 'account') account = true;
      else touched[what].add(id);
    },
    line() {
      const line: Line = {};
      for (const table of TABLES) {
        const entries = [...touched[table]].map((id) => [id, state[table][id] ?? null]);
        if (entries.length > 0) line[table] = Object.fromEntries(entries);
      }
      if (account) line.account = Object.fromEntries(FIELDS.map((field) => [field, state[field]]));
      if (state.effects.length > known) line.effects = state.effects.slice(known);
      return `${JSON.stringify(line)}\n`;
    },
  };
}

/** Applies one line of the journal to the account. */
export function replay(state: DemoState, text: string): void {
  const line = JSON.parse(text) as Line;
  for (const table of TABLES) {
    for (const [id, entry] of Object.entries(line[table] ?? {})) {
      if (entry === null) delete state[table][id];
      else Object.assign(state[table], { [id]: entry });
    }
  }
  Object.assign(state, line.account);
  state.effects.push(...(line.effects ?? []));
}
