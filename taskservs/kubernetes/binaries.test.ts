import { expect, test } from 'vitest';
import { findBinaries, versions } from './binaries.js';

const at = (version: string, arch = 'amd64') => ({
  host: { name: 'a', role: 'x', os: 'debian', arch, cores: 2, memoryMiB: 2_048 },
  ...{ peers: [], version },
});

test.each(versions.supported.flatMap((version) => ['amd64', 'arm64'].map((arch) => [version, arch])))(
  'kubelet, kubeadm and kubectl %s have hashes for %s, each its own',
  (version, arch) => {
    const found = findBinaries({}, at(version, arch));
    expect(found.map(({ url }) => url)).toEqual(
      ['kubelet', 'kubeadm', 'kubectl'].map((name) => `https://dl.k8s.io/release/v${version}/bin/linux/${arch}/${name}`),
    );
    expect(new Set(found.map(({ sha256 }) => sha256)).size).toBe(3);
    for (const { sha256 } of found) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  },
);

test('three minor versions are offered', () => expect(new Set(versions.supported.map((one) => one.split('.')[1])).size).toBe(3));

test('a mirror and own builds replace the published programs', () => {
  const mirrors = [{ from: 'https://dl.k8s.io', to: 'http://mirror:80/k' }];
  const [first] = versions.supported;
  for (const { program, url } of findBinaries({}, { ...at(first), mirrors }))
    expect(url).toBe(`http://mirror:80/k/release/v${first}/bin/linux/amd64/${program}`);
  const own = { url: 'https://dl.k8s.io/own', sha256: 'a'.repeat(64) };
  const binaries = { kubelet: own, kubeadm: own, kubectl: own };
  expect(findBinaries({ binaries }, { ...at(first), mirrors })[0]).toEqual({
    ...{ program: 'kubelet', url: 'http://mirror:80/k/own', sha256: own.sha256 },
    to: `/opt/kubernetes/kubelet-${first}-aaaaaaaaaaaa`,
  });
});
