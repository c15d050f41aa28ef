import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeFolder } from '../temporary-folder.js';
import { readImageArchives } from './image-archives.js';
import { findKubernetes, KUBERNETES_IMAGES, type KubernetesProgram, whyNoKubernetes } from './kubernetes-cache.js';

afterEach(() => vi.unstubAllEnvs());

test('a test finds Kubernetes in the cache only if all files that it needs are there, and reports the missing one', async () => {
  const cache = await makeFolder('cache');
  vi.stubEnv('PROVISIONING_CACHE', cache);
  const needs = { programs: ['etcd', 'kubectl'], images: ['pause'] } as const;
  const folder = join(cache, 'kubernetes-1.36.3');
  const files = ['bin/etcd', 'bin/kubectl', 'images/pause.tar'].map((name) => join(folder, name));
  for (const [at, path] of files.entries()) {
    expect(findKubernetes('1.36', needs)).toBeUndefined();
    expect(whyNoKubernetes('1.36', needs)).toBe(`there is no ${files[at]}: sh test/support/kubernetes/build.sh 1.36`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '');
    await chmod(path, 0o755);
  }
  expect(whyNoKubernetes('1.36', needs)).toBeUndefined();
  const build = findKubernetes('1.36', needs);
  expect([build?.version, build?.program('etcd'), build?.image('pause')]).toEqual(['1.36.3', files[0], files[2]]);
  // Neither the rest nor another minor version is there.
  expect(findKubernetes('1.36')).toBeUndefined();
  expect(findKubernetes('1.35', needs)).toBeUndefined();
  await chmod(files[0] as string, 0o644);
  expect(whyNoKubernetes('1.36', needs)).toContain('bin/etcd');
  await rm(files[2] as string);
  expect(findKubernetes('1.36', { programs: [], images: ['pause'] })).toBeUndefined();
});

describe.each(['1.36', '1.35'] as const)('Kubernetes %s in the cache', (minor) => {
  const why = whyNoKubernetes(minor);
  if (why) console.warn(`left out: ${why}`);
  const build = findKubernetes(minor);

  test.skipIf(!build)('has the images that its own kubeadm asks for, also in the registry of tests', async () => {
    if (!build) return;
    const { names } = await readImageArchives(KUBERNETES_IMAGES.map(build.image));
    const ask = (...more: string[]) =>
      execFileSync(build.program('kubeadm'), ['config', 'images', 'list', '--kubernetes-version', build.version, ...more]);
    for (const list of [ask(), ask('--image-repository', 'k8s.local')]) {
      const wanted = list.toString().trim().split('\n');
      expect(wanted).toHaveLength(7);
      expect(names).toEqual(expect.arrayContaining(wanted));
    }
  });

  test.skipIf(!build)('has programs of the version that its module file names', () => {
    if (!build) return;
    const said = (program: KubernetesProgram, ...args: string[]) => execFileSync(build.program(program), args).toString().trim();
    expect(said('kubeadm', 'version', '-o', 'short')).toBe(`v${build.version}`);
    expect(said('kubelet', '--version')).toBe(`Kubernetes v${build.version}`);
    expect(said('kube-apiserver', '--version')).toBe(`Kubernetes v${build.version}`);
  });

  test.skipIf(!findKubernetes(minor, { programs: ['helm'] }))('has the Helm that its module file names', () => {
    const helm = findKubernetes(minor, { programs: ['helm'] });
    const said = execFileSync(helm?.program('helm') ?? '', ['version', '--template', '{{.Version}}']).toString();
    expect(said).toBe(`v${helm?.helm}`);
  });
});
