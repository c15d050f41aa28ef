/**
 * Draws sentences for a reader's test (docs/contribute/readers-test.md), as rows of its table.
 *
 *   npm run readers-test -- SEED            # such as a commit: sixty sentences
 *   npm run readers-test -- SEED --count 120
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { productTexts } from '../../test/support/product-texts.js';
import { drawSentences, SOURCES } from './draw-sentences.js';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { count: { type: 'string', default: '60' } } });
const [seed] = positionals;
const count = Number(values.count);
if (seed === undefined || !Number.isInteger(count / SOURCES.length) || count < 1) {
  console.error(`npm run readers-test -- SEED [--count N], N a multiple of ${SOURCES.length}`);
  process.exitCode = 2;
} else {
  const cell = (text: string) => text.replaceAll(/(?<!\\)\|/g, '\\|');
  for (const { source, path, line, sentence } of drawSentences(
    await productTexts(resolve(import.meta.dirname, '../..')),
    seed,
    count,
  ))
    console.log(`| ${source} | ${path}:${line} | ${cell(sentence)} | |`);
}
