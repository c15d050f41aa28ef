import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { inputsHash } from './inputs-hash.js';

const ENTRIES = ['authoring/index.ts', 'client/http/connect-server.ts', 'sdk/index.ts', 'sdk/testing/index.ts'];

/**
 * Types that callers never use. Emitting them would pull in the types of Temporal, which are incomplete without
 * packages that programs lack.
 */
const OPAQUE: Record<string, string> = { 'app/engine.ts': 'export type Engine = unknown;\n' };

/** Table with its own type, which is independent of the available taskservs. */
const DATA = 'settings/registry/service-fields.generated.ts';

/**
 * Writes the type declarations of all modules that programs and modules import, directly or not, to `dist/`. Does
 * nothing while its inputs are unchanged.
 */
export async function buildDeclarations(root: string, dist: string): Promise<void> {
  const stamp = join(dist, 'declarations.inputs');
  const inputs = inputsHash(
    root,
    ['app', 'authoring', 'sdk', 'client', 'core', 'definition', 'home', 'settings', 'workflows'],
    ['package-lock.json', 'tsconfig.json', 'scripts/build-declarations.ts'],
    (path) => (path.endsWith(DATA) ? '' : readFileSync(path)),
  );
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) return;

  const { default: ts } = await import('typescript');
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const left = ENTRIES.map((entry) => join(root, entry));
  const program = ts.createProgram(left, {
    ...options,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: root,
    outDir: dist,
  });
  // Follow the imports: the declarations that a program imports refer to only a few of its modules.
  const seen = new Set(left);
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    program.emit(program.getSourceFile(file), (path, emitted) => {
      const text = OPAQUE[relative(root, file)] ?? emitted;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      for (const [, specifier = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
        const source = resolve(dirname(path.replace(dist, root)), `${specifier}.ts`);
        if (seen.has(source)) continue;
        seen.add(source);
        left.push(source);
      }
    });
  }
  await writeFile(stamp, inputs);
}
