import type { Proofs } from '../proof.js';

/** A layer to push, and how the registry is asked. */
const BLOB = `printf 'a layer' >/root/layer
digest=sha256:$(sha256sum </root/layer | cut -d ' ' -f 1)
ask() { curl -fsS "$@"; }
status() { curl -s -o /dev/null -w '%{http_code}' "$@"; }`;

export const registries: Proofs = {
  'oci-registry': {
    config: { users: [{ name: 'ci', password: { generate: 'password' } }] },
    works: `${BLOB}
registry=http://$(hostname):5000/v2
[ "$(status $registry/)" = 401 ]
[ "$(status -u ci:wrong $registry/)" = 401 ]
login=$(cat /etc/docker/registry/accounts)
upload=$(ask -u "$login" -X POST -o /dev/null -w '%header{location}' $registry/shop/blobs/uploads/)
ask -u "$login" -X PUT -H 'Content-Type: application/octet-stream' --data-binary @/root/layer "$upload&digest=$digest"
ask -u "$login" $registry/shop/blobs/$digest | cmp - /root/layer
curl -fsS http://127.0.0.1:5001/metrics | grep -c ^registry_storage_action_seconds`,
    changed: {
      config: { port: 5050, deletion: false },
      works: `${BLOB}
registry=http://127.0.0.1:5050/v2
ask $registry/shop/blobs/$digest | cmp - /root/layer
[ "$(status -X DELETE $registry/shop/blobs/$digest)" = 405 ]
[ ! -e /etc/docker/registry/accounts ]`,
    },
    units: ['docker-registry'],
  },
};
