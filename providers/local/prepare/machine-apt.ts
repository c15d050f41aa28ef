import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AptSource, parseAptSources, sourcesOf } from './apt-sources.js';

/** Returns the machine's Debian mirrors, as sources of `release`; empty without such mirrors (Ubuntu). */
export async function machineSources(release: string, etc = '/etc/apt'): Promise<AptSource[]> {
  const parts = (await readdir(join(etc, 'sources.list.d')).catch(() => []))
    .filter((name) => /\.(list|sources)$/.test(name))
    .map((name) => join('sources.list.d', name));
  const found: AptSource[] = [];
  for (const name of ['sources.list', ...parts]) {
    const text = await readFile(join(etc, name), 'utf8').catch(() => '');
    found.push(...parseAptSources(name, text));
  }
  const resolved = await Promise.all(
    found.map(async (source) => ({ ...source, uris: (await Promise.all(source.uris.map(resolveMirrorFile))).flat() })),
  );
  return sourcesOf(release, resolved);
}

/** Reads the mirrors of Debian cloud images, which store them in a list beside the sources (`mirror+file:`). */
async function resolveMirrorFile(uri: string): Promise<string[]> {
  const path = /^mirror\+file:\/*(\/.*)$/.exec(uri)?.[1];
  if (!path) return [uri];
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n');
  return lines.flatMap((line) => line.trim().split(/\s+/)[0] || []).filter((word) => !word.startsWith('#'));
}

/**
 * Returns the files of apt's configuration for access to mirrors: proxies, credentials, tolerated dates. Hooks of the
 * machine, and settings that save space but slow apt down, are omitted.
 */
export async function aptSettings(etc = '/etc/apt'): Promise<string[]> {
  const names = (await readdir(join(etc, 'apt.conf.d')).catch(() => [])).map((name) => join(etc, 'apt.conf.d', name));
  const kept: string[] = [];
  for (const path of [join(etc, 'apt.conf'), ...names]) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (/Acquire/i.test(text) && !/Invoke|GzipIndexes/i.test(text)) kept.push(path);
  }
  const credentials = (await readdir(join(etc, 'auth.conf.d')).catch(() => [])).map((name) => join(etc, 'auth.conf.d', name));
  const single = await readFile(join(etc, 'auth.conf'), 'utf8').catch(() => undefined);
  return [...kept, ...credentials, ...(single === undefined ? [] : [join(etc, 'auth.conf')])];
}
