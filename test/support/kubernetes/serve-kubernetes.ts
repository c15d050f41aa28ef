import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Mirror } from '../../../core/taskserv/mirrors.js';
import { tarOf } from '../mirror/archive.js';
import { sha256Of } from '../mirror/mirror.js';
import { type Part, readImageArchives } from './image-archives.js';
import { KUBERNETES_IMAGES, type KubernetesBuild, type KubernetesProgram } from './kubernetes-cache.js';

const PROGRAMS = 'https://dl.k8s.io';
const FLANNEL = 'https://github.com/flannel-io/flannel/releases/download';
const HELM = 'https://get.helm.sh';
const ARCH = process.arch === 'x64' ? 'amd64' : process.arch;
const PUBLISHED = [
  'kubeadm',
  'kubelet',
  'kubectl',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
] as const;

/** Address and hash of an artifact, as a taskserv's configuration has them. */
export interface KubernetesArtifact {
  /** The vendor's address. Hosts reach it by the mirrors. */
  url: string;
  /** Hash of the file that the mirror has. It is not the vendor's. */
  sha256: string;
}

/** Server that hosts use instead of the vendors' servers and registries. */
export interface KubernetesServer {
  /** Mirrors for a definition. */
  mirrors: Mirror[];
  /** Address of a registry with all images of the builds. Reads only; it answers for every registry's name. */
  registry: string;
  /** Full names of the registry's images. */
  images: readonly string[];
  /** Requests with their answers: `GET 200 /v2/`. */
  asked: string[];
  /** Returns the artifact of a program of a build. Of Helm, it is the vendor's archive. */
  artifact(build: KubernetesBuild, program: (typeof PUBLISHED)[number] | 'helm'): Promise<KubernetesArtifact>;
  close(): Promise<void>;
}

/** Content that is served: a part of a file, or bytes in memory. */
type Content = Buffer | Part;
type Contents = Map<string, () => Promise<Content>>;

const wholeOf = async (path: string): Promise<Part> => ({ path, start: 0, size: (await stat(path)).size });

async function hashOf(content: Content): Promise<string> {
  if (Buffer.isBuffer(content)) return sha256Of(content);
  const hash = createHash('sha256');
  await pipeline(createReadStream(content.path), hash);
  return hash.digest('hex');
}

const programPath = (version: string, program: KubernetesProgram) => `/release/v${version}/bin/linux/${ARCH}/${program}`;
const helmPath = (version: string) => `/helm-v${version}-linux-${ARCH}.tar.gz`;

/** Packs Helm as its vendor does, once. */
function packHelm(build: KubernetesBuild): () => Promise<Buffer> {
  let packed: Promise<Buffer> | undefined;
  const pack = async () =>
    tarOf({ [`linux-${ARCH}/helm`]: { content: await readFile(build.program('helm')), executable: true } }, `linux-${ARCH}`);
  return () => {
    packed ??= pack();
    return packed;
  };
}

/** Returns the vendors' files of a build, by path. */
function contentsOf(builds: readonly KubernetesBuild[]): Contents {
  const contents: Contents = new Map();
  for (const build of builds) {
    for (const program of PUBLISHED) {
      const path = `/programs${programPath(build.version, program)}`;
      const read = () => wholeOf(build.program(program));
      contents.set(path, read);
      contents.set(`${path}.sha256`, async () => Buffer.from(await hashOf(await read())));
    }
    contents.set(`/flannel/v${build.flannel}/kube-flannel.yml`, () => wholeOf(build.manifest));
    contents.set(`/helm${helmPath(build.helm)}`, packHelm(build));
  }
  return contents;
}

/** Sends content, or the rest of it that the request asks for. */
async function send({ method, headers }: IncomingMessage, response: ServerResponse, content: Content): Promise<number> {
  const size = Buffer.isBuffer(content) ? content.length : content.size;
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
  if (from >= size && from > 0) {
    response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
    return 416;
  }
  const range = from > 0 ? { 'content-range': `bytes ${from}-${size - 1}/${size}` } : {};
  const status = from > 0 ? 206 : 200;
  response.writeHead(status, { 'content-length': size - from, ...range });
  if (method === 'HEAD' || size === 0) response.end();
  else if (Buffer.isBuffer(content)) response.end(content.subarray(from));
  else {
    const stream = createReadStream(content.path, { start: content.start + from, end: content.start + size - 1 });
    await pipeline(stream, response);
  }
  return status;
}

/**
 * Serves builds of Kubernetes over HTTP: programs, flannel's manifest and Helm at mirrors of their vendors, and the images in a
 * registry. Downloads may be resumed.
 *
 * @param gateway address at which hosts reach this machine, such as that of `bridgeAddress`
 * @throws Error if an image of the cache cannot be read
 */
export async function serveKubernetes(builds: readonly KubernetesBuild[], gateway: string): Promise<KubernetesServer> {
  const images = await readImageArchives(builds.flatMap((build) => KUBERNETES_IMAGES.map(build.image)));
  const contents = contentsOf(builds);
  const asked: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<number> => {
    const path = decodeURIComponent((request.url ?? '/').replace(/\?.*/, ''));
    if (path === '/v2/') return send(request, response, Buffer.from('{}'));
    const image = images.find(path);
    if (image) response.setHeader('content-type', image.type).setHeader('docker-content-digest', image.digest);
    const content = image ?? (await contents.get(path)?.());
    if (content) return send(request, response, content);
    response.writeHead(404).end('not here');
    return 404;
  };
  const server = createServer((request, response) => {
    answer(request, response).then(
      (status) => asked.push(`${request.method} ${status} ${request.url}`),
      // The client sees that the answer ended early, and tries again.
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const base = `http://${gateway}:${(server.address() as AddressInfo).port}`;
  return {
    mirrors: [
      { from: PROGRAMS, to: `${base}/programs` },
      { from: FLANNEL, to: `${base}/flannel` },
      { from: HELM, to: `${base}/helm` },
    ],
    registry: base,
    images: images.names,
    asked,
    async artifact(build, program) {
      const [vendor, place, path] =
        program === 'helm' ? [HELM, '/helm', helmPath(build.helm)] : [PROGRAMS, '/programs', programPath(build.version, program)];
      const content = await contents.get(`${place}${path}`)?.();
      if (!content) throw new Error(`${build.version} is not served`);
      return { url: `${vendor}${path}`, sha256: await hashOf(content) };
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
