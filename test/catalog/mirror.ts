import { aptRepository, makeSigningKey } from '../support/mirror/apt-repository.js';
import { tarOf } from '../support/mirror/archive.js';
import { packJars } from '../support/mirror/jars.js';
import { type MirrorServer, serveMirror, sha256Of } from '../support/mirror/mirror.js';
import { fileOfWheel } from '../support/mirror/wheel.js';
import type { Artifact, Proof, Served } from './proof.js';

export type { Served } from './proof.js';

type Written = Record<string, unknown>;

async function makeArchive(one: Artifact): Promise<Buffer> {
  if ('jars' in one) return packJars(one.as, one.jars);
  const content = 'script' in one ? one.script : await fileOfWheel(one.wheel, one.file);
  return tarOf({ [one.as]: { content, executable: true } });
}

/** Serves files that a proof needs and no package registry has. Hosts reach this machine at `gateway`. */
export async function serveFor(
  { artifacts = {}, standIn }: Pick<Proof, 'artifacts' | 'standIn'>,
  gateway: string,
): Promise<Served | undefined> {
  const repository = standIn?.repository;
  if (!repository && Object.keys(artifacts).length === 0) return undefined;
  const files = new Map<string, Buffer>();
  const hashes = new Map<string, string>();
  for (const [name, one] of Object.entries(artifacts)) {
    const archive = await makeArchive(one);
    files.set(`/artifacts/${name}`, archive);
    hashes.set(name, sha256Of(archive));
  }
  const key = await makeSigningKey();
  if (repository) {
    for (const [path, content] of await aptRepository(repository, repository.packages, key)) files.set(`/apt${path}`, content);
  }
  const server: MirrorServer = await serveMirror(files);
  const base = `http://${gateway}:${server.port}`;
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== 'object' || value === null) return value;
    if ('$artifact' in value) return { url: `${base}/artifacts/${value.$artifact}`, sha256: hashes.get(String(value.$artifact)) };
    return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, fill(inside)]));
  };
  return {
    mirrors: repository ? [{ from: repository.uri, to: `${base}/apt`, key: key.public }] : [],
    filled: (config) => fill(config) as Written,
    close: server.close,
  };
}
