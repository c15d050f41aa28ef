import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { mirrorOf } from '../../../core/taskserv/mirrors.js';
import { tar } from '../../../providers/local/docker/tar.js';
import { makeFolder } from '../temporary-folder.js';
import { KUBERNETES_IMAGES, type KubernetesBuild } from './kubernetes-cache.js';
import { serveKubernetes } from './serve-kubernetes.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const file = (path: string, content: string) => ({ path, mode: 0o644, content });

/** An image archive with two names, like those of `mkimage`. Its only layer is the text. */
function archiveOf(names: readonly string[], layer: string): Buffer {
  const blob = (content: string) => file(`blobs/sha256/${sha256(content)}`, content);
  const manifest = JSON.stringify({ schemaVersion: 2, layers: [{ digest: `sha256:${sha256(layer)}`, size: layer.length }] });
  const manifests = names.map((name) => ({
    digest: `sha256:${sha256(manifest)}`,
    annotations: { 'io.containerd.image.name': name },
  }));
  return tar([blob(layer), blob(manifest), file('index.json', JSON.stringify({ manifests }))]);
}

/** A build with small files. */
async function makeBuild(): Promise<KubernetesBuild> {
  const folder = await makeFolder('kubernetes');
  const build: KubernetesBuild = {
    version: '1.36.3',
    helm: '4.2.4',
    flannel: '0.28.10',
    program: (name) => join(folder, name),
    image: (name) => join(folder, `${name}.tar`),
    manifest: join(folder, 'kube-flannel.yml'),
  };
  await mkdir(folder, { recursive: true });
  for (const name of ['kubeadm', 'kubelet', 'kubectl', 'helm'] as const) await writeFile(build.program(name), `program ${name}`);
  await writeFile(build.manifest, 'kind: DaemonSet');
  for (const name of KUBERNETES_IMAGES)
    await writeFile(build.image(name), archiveOf([`registry.k8s.io/some/${name}:v1`, `k8s.local/${name}:v1`], `layer of ${name}`));
  return build;
}

async function start() {
  const build = await makeBuild();
  const server = await serveKubernetes([build], '127.0.0.1');
  onTestFinished(() => server.close());
  return { build, server };
}

test('an artifact has the hash of the file that its mirror serves, also if a download is resumed', async () => {
  const { build, server } = await start();
  const { url, sha256: hash } = await server.artifact(build, 'kubelet');
  expect(url).toMatch(/^https:\/\/dl\.k8s\.io\/release\/v1\.36\.3\/bin\/linux\/\w+\/kubelet$/);
  const mirrored = mirrorOf(url, server.mirrors).url;
  expect(await (await fetch(mirrored)).text()).toBe('program kubelet');
  expect(hash).toBe(sha256('program kubelet'));
  expect(await (await fetch(`${mirrored}.sha256`)).text()).toBe(hash);
  const rest = await fetch(mirrored, { headers: { range: 'bytes=8-' } });
  expect([rest.status, rest.headers.get('content-range'), await rest.text()]).toEqual([206, 'bytes 8-14/15', 'kubelet']);
  expect((await fetch(mirrored, { headers: { range: 'bytes=15-' } })).status).toBe(416);
  expect((await fetch(mirrored.replace('1.36.3', '1.36.4'))).status).toBe(404);
  expect(server.asked.filter((line) => line.startsWith('GET 206'))).toHaveLength(1);
});

test("Helm comes as its vendor's archive, and flannel's manifest from its release", async () => {
  const { build, server } = await start();
  const { url, sha256: hash } = await server.artifact(build, 'helm');
  expect(url).toMatch(/^https:\/\/get\.helm\.sh\/helm-v4\.2\.4-linux-\w+\.tar\.gz$/);
  const archive = Buffer.from(await (await fetch(mirrorOf(url, server.mirrors).url)).arrayBuffer());
  expect(createHash('sha256').update(archive).digest('hex')).toBe(hash);
  const manifest = 'https://github.com/flannel-io/flannel/releases/download/v0.28.10/kube-flannel.yml';
  expect(await (await fetch(mirrorOf(manifest, server.mirrors).url)).text()).toBe('kind: DaemonSet');
});

test('the registry answers for an image by each of its names, and for its parts by their digests', async () => {
  const { server } = await start();
  expect(server.images).toContain('k8s.local/etcd:v1');
  expect((await fetch(`${server.registry}/v2/`)).status).toBe(200);
  for (const path of ['some/etcd', 'etcd']) {
    const tag = `${server.registry}/v2/${path}/manifests/v1?ns=registry.k8s.io`;
    const head = await fetch(tag, { method: 'HEAD' });
    const manifest = await (await fetch(tag)).text();
    expect(head.headers.get('docker-content-digest')).toBe(`sha256:${sha256(manifest)}`);
    expect(head.headers.get('content-length')).toBe(String(manifest.length));
    expect(head.headers.get('content-type')).toBe('application/vnd.oci.image.manifest.v1+json');
    expect(await (await fetch(`${server.registry}/v2/${path}/manifests/sha256:${sha256(manifest)}`)).text()).toBe(manifest);
    const [{ digest }] = (JSON.parse(manifest) as { layers: [{ digest: string }] }).layers;
    expect(await (await fetch(`${server.registry}/v2/${path}/blobs/${digest}`)).text()).toBe('layer of etcd');
  }
  expect((await fetch(`${server.registry}/v2/etcd/manifests/v2`)).status).toBe(404);
});
