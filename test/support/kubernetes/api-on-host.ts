import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { containersOf, execIn } from '../hosts.js';
import type { KubernetesBuild, KubernetesProgram } from './kubernetes-cache.js';

const exec = promisify(execFile);

/** Programs of an API server without nodes: objects can be stored, and nothing carries them out. */
export const API_PROGRAMS = ['etcd', 'kubectl', 'kube-apiserver'] as const satisfies readonly KubernetesProgram[];

/** Starts etcd and an API server, and writes the administrator's kubeconfig where kubeadm writes it. */
const START = `mkdir -p /etc/kubernetes/pki
cd /etc/kubernetes/pki
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=kubernetes -days 30 -keyout ca.key -out ca.crt 2>/dev/null
openssl genrsa -out sa.key 2048 2>/dev/null
openssl rsa -in sa.key -pubout -out sa.pub 2>/dev/null
sign() { openssl req -newkey rsa:2048 -nodes -subj "$2" -keyout "$1.key" -out "$1.csr" 2>/dev/null
openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out "$1.crt" -extfile <(echo "$3") 2>/dev/null; }
sign admin /O=system:masters/CN=admin extendedKeyUsage=clientAuth
sign apiserver /CN=kube-apiserver subjectAltName=IP:127.0.0.1
systemd-run -q --unit test-etcd /usr/local/bin/etcd --data-dir /var/lib/test-etcd --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380
systemd-run -q --unit test-api /usr/local/bin/kube-apiserver --etcd-servers http://127.0.0.1:2379 --bind-address 127.0.0.1 --authorization-mode RBAC --allow-privileged \\
  --client-ca-file /etc/kubernetes/pki/ca.crt --tls-cert-file /etc/kubernetes/pki/apiserver.crt --tls-private-key-file /etc/kubernetes/pki/apiserver.key \\
  --service-account-issuer https://kubernetes.default.svc --service-account-key-file /etc/kubernetes/pki/sa.pub --service-account-signing-key-file /etc/kubernetes/pki/sa.key \\
  --service-cluster-ip-range 10.96.0.0/16
k() { kubectl --kubeconfig /etc/kubernetes/admin.conf "$@" >/dev/null; }
umask 077
k config set-cluster kubernetes --server https://127.0.0.1:6443 --certificate-authority ca.crt --embed-certs
k config set-credentials admin --client-certificate admin.crt --client-key admin.key --embed-certs
k config set-context admin@kubernetes --cluster kubernetes --user admin
k config use-context admin@kubernetes
for _ in $(seq 240); do
  if k get namespace kube-system default 2>/dev/null; then exit 0; fi
  sleep 0.5
done
journalctl -u test-api -n 5 --no-pager >&2
exit 1`;

/** Copies the programs to a server of an infra, and starts an API server there. It needs `openssl` on the host. */
export async function startApi(infra: string, server: string, build: KubernetesBuild): Promise<void> {
  const [id] = await containersOf(infra, server);
  if (id === undefined) throw new Error(`no container of ${infra}/${server}`);
  for (const name of API_PROGRAMS) await exec('docker', ['cp', build.program(name), `${id}:/usr/local/bin/${name}`]);
  await execIn(id, START);
}
