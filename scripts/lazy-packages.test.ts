import { execFileSync } from 'node:child_process';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { lazyPackages } from './lazy-packages.js';

test('a CommonJS package that is loaded lazily keeps its names when it is bundled', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "const { parse } = await import('yaml'); console.log(parse('a: 1').a);", resolveDir: import.meta.dirname },
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/');" },
    plugins: [lazyPackages([])],
    write: false,
  });
  const said = execFileSync(process.execPath, ['--input-type=module'], { input: outputFiles[0]?.text ?? '', encoding: 'utf8' });
  expect(said.trim()).toBe('1');
});
