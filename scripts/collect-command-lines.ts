/**
 * `tsx scripts/collect-command-lines.ts FILE…`: writes cli/program/command-lines.txt, the command lines in documents
 * of the predecessor platform. `cli/program/command-lines.test.ts` runs them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** In a block of commands: a command of the program, or a Nushell command of the platform. */
const BLOCK = /^\s*(?:[$>-] )?((?:provisioning|workflow (?:list|status)|server_create_workflow)(?: .*)?)$/;
/** In a sentence: `Quick reference: provisioning sc (fastest)`, `provisioning help or provisioning guide NAME`. */
const SENTENCE = /(?<=: | with | or | = )(provisioning(?: (?!or )[a-z<][\w<>-]*)+)/g;

/** Returns the command lines of a document, in order and without duplicates. */
export function commandLinesOf(text: string): string[] {
  const lines = text.replace(/ *\\\n\s*/g, ' ').split('\n');
  const found = lines.flatMap((line) => {
    const block = BLOCK.exec(line)?.[1]?.replace(/\s+#.*$/, '');
    if (block !== undefined) return block.trim();
    return [...line.matchAll(SENTENCE)].map(([, command = '']) => command.trim());
  });
  return [...new Set(found)];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lines = new Set(process.argv.slice(2).flatMap((path) => commandLinesOf(readFileSync(path, 'utf8'))));
  const target = new URL('../cli/program/command-lines.txt', import.meta.url);
  writeFileSync(fileURLToPath(target), `${[...lines].join('\n')}\n`);
}
