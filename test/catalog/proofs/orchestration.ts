import type { Proofs } from '../proof.js';

/** Part of the certificate that the server and this proof's client use. */
const etcdCertificate = (part: string) => ({ generate: 'certificate', ca: 'etcd', names: ['a', '127.0.0.1'], part });

export const orchestration: Proofs = {
  etcd: {
    config: {
      tls: { certificate: etcdCertificate('certificate'), key: etcdCertificate('key'), authority: etcdCertificate('authority') },
    },
    works: `ask() { curl -fsS --cacert /etc/etcd/authority.pem "$@"; }
client='--cert /etc/etcd/certificate.pem --key /etc/etcd/key.pem'
url="https://$(hostname):2379/v3/kv"
ask $client "$url/put" -d "{\\"key\\":\\"$(printf proof | base64)\\",\\"value\\":\\"$(printf hello | base64)\\"}"
ask $client "$url/range" -d "{\\"key\\":\\"$(printf proof | base64)\\"}" | grep -c "$(printf hello | base64)"
if ask "$url/range" -d "{\\"key\\":\\"$(printf proof | base64)\\"}"; then exit 1; fi
curl -fsS "http://$(hostname):2381/metrics" | grep -c ^etcd_server_has_leader`,
    changed: {
      config: { quota: '1 GiB' },
      works: `[ "$(etcdctl get --print-value-only proof)" = hello ]
etcdctl put other 7; [ "$(etcdctl get --print-value-only other)" = 7 ]
curl -fsS "http://$(hostname):2381/metrics" | grep -c '^etcd_server_quota_backend_bytes 1.073741824e+09'`,
    },
    units: ['etcd'],
  },
};
