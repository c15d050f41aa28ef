import type { BuildOptions } from 'esbuild';

/** Bundled CommonJS loads Node's modules with `require`, which ES modules lack. */
export const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** How programs for Node are bundled, those in packs as well. */
export const PROGRAM_OPTIONS = {
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  banner: { js: REQUIRE },
  write: false,
} as const satisfies BuildOptions;
