import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Proven } from './prove.js';
import { hashOf, KEPT, keptProofs, keyOf, ROOT, renderCatalog } from './table.js';

const PAGE = join(ROOT, 'docs/reference/catalog.md');

/** Stores a proof without problems, for the current code of the taskserv. */
export function keepProof({ taskserv, version, distribution }: Proven): void {
  const hash = hashOf(taskserv, distribution);
  const proof = { hash, distribution, version, on: new Date().toISOString().slice(0, 10) };
  const all = Object.entries({ ...keptProofs(), [keyOf(taskserv, distribution)]: proof }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(KEPT, `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`);
}

/** Writes the table of the page from the stored proofs. */
export function writePage(): void {
  const page = readFileSync(PAGE, 'utf8');
  const marked = /(?<=<!-- catalog -->\n).*(?=<!-- \/catalog -->)/s;
  if (!marked.test(page)) throw new Error(`${PAGE} has no place for the table`);
  writeFileSync(
    PAGE,
    page.replace(marked, () => `\n${renderCatalog(keptProofs())}\n\n`),
  );
}
