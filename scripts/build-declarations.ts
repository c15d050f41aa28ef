import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
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

  const emitted = join(dist, `declarations-${process.pid}`);
  try {
    await emitAll(root, emitted);
    copyImported(root, emitted, dist);
  } finally {
    await rm(emitted, { recursive: true, force: true });
  }
  await writeFile(stamp, inputs);
}

/** Writes the declarations of all modules that the entries import, directly or not. */
async function emitAll(root: string, folder: string): Promise<void> {
  const config = `${folder}.json`;
  const options = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    // Types are checked elsewhere (npm run check:types).
    noCheck: true,
    incremental: false,
    tsBuildInfoFile: null,
    rootDir: root,
    outDir: folder,
  };
  const files = ENTRIES.map((entry) => join(root, entry));
  const text = JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions: options, include: [], files });
  await writeFile(config, text);
  try {
    const compiler = join(dirname(fileURLToPath(import.meta.resolve('@typescript/native/package.json'))), 'bin/tsc');
    // Several threads take twice the time of the processors. The compiler also reports modules that no declaration needs,
    // and ends with an error then.
    await execa(process.execPath, [compiler, '--singleThreaded', '-p', config], { cwd: root, reject: false });
  } finally {
    await rm(config, { force: true });
  }
}

/** Copies the declarations of the entries and those that they import: they refer to only a few modules of a program. */
function copyImported(root: string, from: string, dist: string): void {
  const left = ENTRIES.map((entry) => entry.replace(/\.ts$/, ''));
  const seen = new Set(left);
  for (let module = left.pop(); module !== undefined; module = left.pop()) {
    const emitted = join(from, `${module}.d.ts`);
    if (!existsSync(emitted)) throw new Error(`the compiler wrote no declarations of ${module}.ts: npm run check:types`);
    const text = OPAQUE[`${module}.ts`] ?? readFileSync(emitted, 'utf8');
    const path = join(dist, `${module}.d.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    for (const [, specifier = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      const imported = relative(root, resolve(root, dirname(module), specifier));
      if (seen.has(imported)) continue;
      seen.add(imported);
      left.push(imported);
    }
  }
}
