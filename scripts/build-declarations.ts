import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inputsHash } from './inputs-hash.js';

const ENTRY = 'client/index.ts';

/** Writes the type declarations of the programmatic client to `dist/client/`; nothing while its inputs are the same. */
export async function buildDeclarations(root: string, dist: string): Promise<void> {
  if (!existsSync(join(root, ENTRY))) return;
  const stamp = join(dist, 'declarations.inputs');
  const inputs = inputsHash(
    root,
    ['client', 'core', 'definition', 'home', 'settings', 'workflows'],
    ['package-lock.json', 'tsconfig.json', 'scripts/build-declarations.ts'],
  );
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) return;

  const { default: ts } = await import('typescript');
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram([join(root, ENTRY)], {
    ...options,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: root,
    outDir: dist,
  });
  program.emit();
  await writeFile(stamp, inputs);
}
