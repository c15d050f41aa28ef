import { type NumberedRow, selectChain } from '../../stores/audit/audit-fixture.js';
import { formatId, hashAfter, readWriter } from '../../stores/audit/chain.js';

/** Tampering by an attacker with the home's keys: the removed rows, and their replacements. */
export interface Tampering {
  removed: NumberedRow[];
  kept: NumberedRow[];
}

/** Returns a number from 0 and below `most`. */
export type Draw = (most: number) => number;

const pickRow = (rows: readonly NumberedRow[], draw: Draw): NumberedRow => rows[draw(rows.length)] as NumberedRow;

/** Picks a record with others on both sides. */
const pickInner = (own: readonly NumberedRow[], draw: Draw): number => 1 + draw(own.length - 3);

/** The six kinds of tampering. Each starts from all original rows. */
export const TAMPERINGS: Readonly<Record<string, (rows: readonly NumberedRow[], draw: Draw) => Tampering>> = {
  'a changed record': (rows, draw) => {
    const one = pickRow(rows, draw);
    const text = one.row.text.replace('op-', 'xx-');
    return { removed: [one], kept: [{ ...one, row: { ...one.row, text, hash: hashAfter(one.row.previous, text) } }] };
  },
  'a removed record': (rows, draw) => {
    const own = selectChain(rows, pickRow(rows, draw).row.chain);
    return { removed: own.slice(pickInner(own, draw)).slice(0, 1), kept: [] };
  },
  'two records in another order': (rows, draw) => {
    const own = selectChain(rows, pickRow(rows, draw).row.chain);
    const at = pickInner(own, draw);
    const [one, two] = own.slice(at, at + 2) as [NumberedRow, NumberedRow];
    const swapped = [
      { row: one.row, sequence: two.sequence },
      { row: two.row, sequence: one.sequence },
    ];
    return { removed: [one, two], kept: swapped };
  },
  'a cut end': (rows, draw) => {
    const own = selectChain(rows, pickRow(rows, draw).row.chain);
    return { removed: own.slice(-1 - draw(20)), kept: [] };
  },
  'a removed writer': (rows, draw) => {
    const writer = readWriter(pickRow(rows, draw).row.chain);
    return { removed: rows.filter(({ row }) => readWriter(row.chain) === writer), kept: [] };
  },
  'two chains under the names of each other': (rows, draw) => {
    const chain = pickRow(rows, draw).row.chain;
    const of = chain.slice(chain.indexOf('.'));
    const others = [...new Set(rows.map(({ row }) => row.chain))].filter((one) => one !== chain && one.endsWith(of));
    const other = others[draw(others.length)] as string;
    const rename = (from: readonly NumberedRow[], to: string) =>
      from.map(({ row, sequence }, at) => ({ row: { ...row, chain: to, id: formatId(to, at + 1) }, sequence }));
    const [own, theirs] = [selectChain(rows, chain), selectChain(rows, other)];
    return { removed: [...own, ...theirs], kept: [...rename(own, other), ...rename(theirs, chain)] };
  },
};
