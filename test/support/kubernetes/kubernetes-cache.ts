import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheOf } from '../../../home/home.js';

/** Minor version that `build.sh` can build. Its `go.mod` has the patch release. */
export type Minor = '1.36' | '1.35';

const PROGRAMS = [
  ...['etcd', 'etcdctl', 'kubectl', 'kube-apiserver', 'kubeadm', 'kubelet', 'kube-controller-manager', 'kube-scheduler'],
  ...['kube-proxy', 'pause', 'hello', 'coredns', 'flanneld', 'install-conf', 'flannel'],
] as const;
/** Program in the cache. `flannel` is the CNI plugin; `flanneld` is the daemon. */
export type KubernetesProgram = (typeof PROGRAMS)[number] | 'helm';

/** Images in the cache. Each is a tar for `ctr -n k8s.io images import`, with its vendor's name and one below `k8s.local/`. */
export const KUBERNETES_IMAGES = [
  ...['pause', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'etcd', 'coredns'],
  ...['flannel', 'flannel-cni-plugin', 'hello'],
] as const;
export type KubernetesImage = (typeof KUBERNETES_IMAGES)[number];

/** A version of Kubernetes in the cache. */
export interface KubernetesBuild {
  /** Such as `1.36.3`. */
  version: string;
  /** Release of Helm, such as `4.2.4`. */
  helm: string;
  /** Release of flannel, such as `0.28.10`. */
  flannel: string;
  /** Returns the path of a program. */
  program(name: KubernetesProgram): string;
  /** Returns the path of an image. */
  image(name: KubernetesImage): string;
  /** Path of flannel's own manifest, unchanged. */
  manifest: string;
}

/** Returns the release of a module in a `go.mod` beside this file. */
function releaseIn(folder: string, module: string): string {
  const text = readFileSync(join(import.meta.dirname, folder, 'go.mod'), 'utf8');
  const [, release] = new RegExp(`^\\t(?:require )?${module} v(\\S+)`, 'm').exec(text) ?? [];
  if (release === undefined) throw new Error(`${folder}/go.mod does not require ${module}`);
  return release;
}

function buildOf(minor: Minor): KubernetesBuild {
  const version = releaseIn(minor, 'k8s.io/kubernetes');
  const folder = join(cacheOf(), `kubernetes-${version}`);
  return {
    version,
    helm: releaseIn('helm', 'helm.sh/helm/v4'),
    flannel: releaseIn('addons', 'github.com/flannel-io/flannel'),
    program: (name) => join(folder, 'bin', name),
    image: (name) => join(folder, 'images', `${name}.tar`),
    manifest: join(folder, 'kube-flannel.yml'),
  };
}

function isThere(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** What a test needs of the cache. Default: all images, and all programs except Helm. */
export interface KubernetesNeeds {
  programs?: readonly KubernetesProgram[];
  images?: readonly KubernetesImage[];
}

/** Returns the first needed file that is not in the cache. */
function missingOf(
  build: KubernetesBuild,
  { programs = PROGRAMS, images = KUBERNETES_IMAGES }: KubernetesNeeds,
): string | undefined {
  return (
    programs.map(build.program).find((path) => !isThere(path, constants.X_OK)) ??
    images.map(build.image).find((path) => !isThere(path, constants.R_OK))
  );
}

/** Returns Kubernetes of a minor version from the user's cache; undefined if a needed file is not there. */
export function findKubernetes(minor: Minor = '1.36', needs: KubernetesNeeds = {}): KubernetesBuild | undefined {
  const build = buildOf(minor);
  return missingOf(build, needs) === undefined ? build : undefined;
}

/** Returns the reason for a test that is left out; undefined if the cache has all that it needs. */
export function whyNoKubernetes(minor: Minor = '1.36', needs: KubernetesNeeds = {}): string | undefined {
  const missing = missingOf(buildOf(minor), needs);
  return missing && `there is no ${missing}: sh test/support/kubernetes/build.sh ${minor}`;
}
