/**
 * `tsx scripts/collect-command-lines.ts FILE…`: writes cli/program/command-lines.txt, the command lines that documents
 * of the platform that this program follows show. `cli/program/command-lines.test.ts` plays them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** In a block of commands: the program's, or one that Nushell has from the platform. */
const BLOCK = /^\s*(?:[$>-] )?((?:provisioning|workflow (?:list|status)|server_create_workflow)(?: .*)?)$/;
/** In a sentence: `Quick reference: provisioning sc (fastest)`, `provisioning help or provisioning guide NAME`. */
const SENTENCE = /(?<=: | with | or | = )(provisioning(?: (?!or )[a-z<][\w<>-]*)+)/g;

/** The command lines of a document, in their order, each once. */
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
