import type { Proofs } from '../proof.js';

/** Layer to push, and a function that queries the registry. */
const BLOB = `printf 'a layer' >/root/layer
digest=sha256:$(sha256sum </root/layer | cut -d ' ' -f 1)
ask() { curl -fsS "$@"; }
status() { curl -s -o /dev/null -w '%{http_code}' "$@"; }`;

/** Image with one file, in the format of `docker save`. */
const IMAGE = `cd /root; rm -rf image copy; mkdir image; tar -cf image/layer.tar /etc/hostname
layer=$(sha256sum image/layer.tar | cut -d ' ' -f 1)
echo '{"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:'"$layer"'"]}}' >image/config.json
echo '[{"Config":"config.json","RepoTags":[],"Layers":["layer.tar"]}]' >image/manifest.json
tar -C image -cf image.tar manifest.json config.json layer.tar`;

/** Registry for the duration of the script, without an installation. */
const REGISTRY = `[ -e registry ] || { apt-get download -q docker-registry; dpkg -x docker-registry_*.deb registry; }
echo '{"version":"0.1","storage":{"inmemory":{}},"http":{"addr":"127.0.0.1:5000"}}' >registry.yml
registry/usr/bin/docker-registry serve registry.yml >registry.log 2>&1 &
trap "kill $!" EXIT
for _ in $(seq 50); do curl -s http://127.0.0.1:5000/v2/ && break; sleep 0.1; done`;

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
  skopeo: {
    config: {},
    works: `${IMAGE}
${REGISTRY}
skopeo copy --dest-tls-verify=false docker-archive:image.tar docker://127.0.0.1:5000/shop/web:1
skopeo copy --src-tls-verify=false docker://127.0.0.1:5000/shop/web:1 dir:copy
[ "$(skopeo manifest-digest copy/manifest.json)" = "$(skopeo inspect --tls-verify=false -f '{{.Digest}}' docker://127.0.0.1:5000/shop/web:1)" ]`,
    changed: {
      config: {},
      works: 'cd /root; rm -rf layout; skopeo copy docker-archive:image.tar oci:layout:web; [ -s layout/index.json ]',
    },
    units: [],
    gone: '[ ! -e /usr/bin/skopeo ]',
  },
};
