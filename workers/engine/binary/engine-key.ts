import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BUILD_ENVIRONMENT, BUILD_FLAGS, type GoBuild } from './go-build.js';
import { engineModule } from './package-root.js';
import { PINNED_VERSIONS } from './version.js';

/** Platform and architecture of a program, in the words of Node: `linux`, `x64`. */
export interface Target {
  platform: string;
  arch: string;
}

export const thisMachine = (): Target => ({ platform: process.platform, arch: process.arch });

/**
 * Compilation of the engine. The tag is Temporal's own for production servers. It leaves out workers that Temporal
 * starts as processes or in Kubernetes, and 308 packages with them.
 */
export const ENGINE_BUILD = {
  title: `Temporal ${PINNED_VERSIONS.version}`,
  packages: ['.'],
  tags: ['release'],
  ldflags: `-s -w -X main.version=${PINNED_VERSIONS.version}`,
  output: 'engine',
} as const satisfies Omit<GoBuild, 'cwd'>;

/** The files that the engine is compiled from, below its module and without tests, in one order everywhere. */
export const engineSources = (module = engineModule()): string[] =>
  readdirSync(module, { recursive: true, withFileTypes: true })
    .filter(({ name }) => /^go\.(mod|sum)$|\.go$/.test(name) && !name.endsWith('_test.go'))
    .map(({ parentPath, name }) => relative(module, join(parentPath, name)))
    .sort();

/**
 * Names an engine by its content. The content is its sources, the modules and the minimum version of Go that go.mod
 * and go.sum pin, its compilation, and its target machine. Two engines with the same key are interchangeable.
 *
 * @returns 64 hexadecimal digits
 */
export function engineKey(target: Target = thisMachine(), module = engineModule()): string {
  const how = { ...ENGINE_BUILD, BUILD_FLAGS, BUILD_ENVIRONMENT, platform: target.platform, arch: target.arch };
  const sum = createHash('sha256').update(JSON.stringify(how));
  for (const name of engineSources(module))
    sum
      .update(`\0${name}\0`)
      .update(readFileSync(join(module, name)))
      .update('\0');
  return sum.digest('hex');
}

/** The digits of a key that are shown, and that name its folder in the cache. */
export const shortKey = (key: string): string => key.slice(0, 12);
