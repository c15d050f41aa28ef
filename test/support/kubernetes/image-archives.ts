import { type FileHandle, open } from 'node:fs/promises';

/** Part of a file. */
export interface Part {
  path: string;
  /** First byte. */
  start: number;
  /** Bytes. */
  size: number;
}

/** Answer of a registry: a manifest or a blob. */
export interface RegistryFile extends Part {
  digest: string;
  type: string;
}

const BLOCK = 512;
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const NAME = 'io.containerd.image.name';

interface Index {
  manifests: { digest: string; annotations: Readonly<Record<string, string>> }[];
}

/** Returns the files of a tar, by name. Names have at most 100 bytes. */
async function partsOf(path: string, tar: FileHandle): Promise<Map<string, Part>> {
  const parts = new Map<string, Part>();
  const header = Buffer.alloc(BLOCK);
  for (let at = 0; ; ) {
    const { bytesRead } = await tar.read(header, 0, BLOCK, at);
    const name = header.toString('latin1', 0, 100).replace(/\0.*$/s, '');
    if (bytesRead < BLOCK || name === '') return parts;
    const size = Number.parseInt(header.toString('latin1', 124, 136), 8);
    if (Number.isNaN(size)) throw new Error(`${path} is not a tar`);
    parts.set(name, { path, start: at + BLOCK, size });
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}

async function readPart(tar: FileHandle, { start, size }: Part): Promise<string> {
  const content = Buffer.alloc(size);
  await tar.read(content, 0, size, start);
  return content.toString('utf8');
}

/** Images of archives, as a registry answers for them. */
export interface ImageArchives {
  /** Full names of the images, such as `registry.k8s.io/pause:3.10.2`. */
  names: readonly string[];
  /** Returns the file of a path, such as `/v2/pause/manifests/3.10.2`. The host part of a name is not in a path. */
  find(path: string): RegistryFile | undefined;
}

/**
 * Reads the lists of image archives. Their contents stay on the disk.
 *
 * @param paths tars with the layout of OCI
 * @throws Error if one of them is not such a tar
 */
export async function readImageArchives(paths: readonly string[]): Promise<ImageArchives> {
  const blobs = new Map<string, Part>();
  const digests = new Map<string, string>();
  const names: string[] = [];
  for (const path of paths) {
    await using tar = await open(path);
    const parts = await partsOf(path, tar);
    const index = parts.get('index.json');
    if (!index) throw new Error(`${path} has no index.json`);
    for (const [name, part] of parts)
      if (name.startsWith('blobs/sha256/')) blobs.set(name.replace('blobs/sha256/', 'sha256:'), part);
    for (const { digest, annotations } of (JSON.parse(await readPart(tar, index)) as Index).manifests) {
      const name = annotations[NAME];
      if (name === undefined) throw new Error(`${path} has an image without a name`);
      names.push(name);
      digests.set(name.replace(/^[^/]+\//, ''), digest);
    }
  }
  return {
    names,
    find(path) {
      const [, name, kind, reference = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(path) ?? [];
      const digest = reference.startsWith('sha256:') ? reference : digests.get(`${name}:${reference}`);
      const part = digest === undefined ? undefined : blobs.get(digest);
      if (!part || digest === undefined) return undefined;
      return { ...part, digest, type: kind === 'manifests' ? MANIFEST : 'application/octet-stream' };
    },
  };
}
