import type { Proofs } from '../proof.js';

/**
 * Folder with a single static program. The runtime does without features that a container as a host forbids: kernel
 * keyrings, and another root by `pivot_root`.
 */
const PREPARE = `cd /root
if [ ! -e busybox/bin/busybox ]; then
  apt-get download -q busybox-static && dpkg -x busybox-static_*.deb busybox
  # From Debian 13 on it is in usr/bin.
  [ -e busybox/bin ] || mv busybox/usr/bin busybox/bin
  cat >/usr/local/bin/runc-inside <<'END'
#!/bin/bash
for arg; do args+=("$arg"); case $arg in create|run) args+=(--no-new-keyring --no-pivot);; esac; done
exec runc "\${args[@]}"
END
  chmod 755 /usr/local/bin/runc-inside
fi`;

const dockerConfig = { storageDriver: 'vfs', runtimes: [{ name: 'inside', path: '/usr/local/bin/runc-inside' }] };

const SERVE = '/bin/busybox mkdir /web; echo hello >/web/index.html; exec /bin/busybox httpd -f -p 8080 -h /web';

/** Image with that program, in the format of `docker save`. */
const IMAGE = `rm -rf image; mkdir image; tar -C busybox -cf image/layer.tar bin
layer=$(sha256sum image/layer.tar | cut -d ' ' -f 1)
echo '{"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:'"$layer"'"]}}' >image/config.json
echo '[{"Config":"config.json","RepoTags":["proof.example.org/busybox:1"],"Layers":["layer.tar"]}]' >image/manifest.json
tar -C image -cf image.tar manifest.json config.json layer.tar`;

const CTR_RUN = `ctr images import --snapshotter native image.tar
ctr run --rm --snapshotter native --runc-binary /usr/local/bin/runc-inside --cap-drop CAP_NET_RAW --cap-drop CAP_MKNOD \\
  proof.example.org/busybox:1 proof-$$ /bin/busybox echo ran </dev/null | grep -cx ran`;

export const runtimes: Proofs = {
  containerd: {
    config: { snapshotter: 'native', metricsPort: 1338 },
    works: `${PREPARE}
${IMAGE}
${CTR_RUN}
curl -fsS "http://$(hostname):1338/v1/metrics" | grep -c ^process_start_time_seconds`,
    changed: {
      config: { snapshotter: 'native', root: '/srv/containerd' },
      works: `cd /root; [ "$(ctr images ls -q | wc -l)" = 0 ] || [ -e /srv/containerd/ran ]
${CTR_RUN}
touch /srv/containerd/ran; ls /srv/containerd/io.containerd.snapshotter.v1.native/snapshots`,
    },
    units: ['containerd'],
  },
  docker: {
    config: dockerConfig,
    works: `${PREPARE}
docker rm -f web 2>/dev/null || :
tar -C busybox -c bin | docker import - busybox
docker run -d --name web --restart always --runtime inside --cap-drop all -p 127.0.0.1:8099:8080 busybox /bin/busybox sh -c '${SERVE}'
curl -fsS --retry 5 --retry-connrefused --retry-delay 1 http://127.0.0.1:8099/ | grep -c hello
docker inspect -f '{{index .HostConfig.LogConfig.Config "max-size"}}' web | grep -cx 10485760`,
    changed: {
      config: { ...dockerConfig, logMaxSize: '1 MiB', registryMirrors: ['https://mirror.example.org'], metricsPort: 9323 },
      works: `docker info -f '{{.RegistryConfig.Mirrors}}' | grep -c https://mirror.example.org/
docker run --rm --runtime inside --cap-drop all busybox /bin/busybox echo ran | grep -cx ran
docker create --name small busybox /bin/busybox; docker inspect -f '{{index .HostConfig.LogConfig.Config "max-size"}}' small | grep -cx 1048576
docker rm small
curl -fsS http://127.0.0.1:8099/ | grep -c hello
curl -fsS "http://$(hostname):9323/metrics" | grep -c ^engine_daemon_container_states_containers`,
    },
    units: ['docker', 'docker.socket'],
    gone: '! pgrep containerd-shim && ! curl -s http://127.0.0.1:8099/',
  },
  podman: {
    config: { runtime: 'runc', storageDriver: 'vfs' },
    works: `${PREPARE}
podman rm -f -t 0 web
tar -C busybox -c bin | podman import - localhost/busybox
podman run -d --name web --network host --runtime /usr/local/bin/runc-inside busybox /bin/busybox sh -c '${SERVE}'
for _ in $(seq 20); do curl -fsS http://127.0.0.1:8080/ && break; sleep 0.2; done | grep -c hello
podman rm -f -t 0 web`,
    changed: {
      config: { runtime: 'runc', storageDriver: 'vfs', logDriver: 'k8s-file', insecureRegistries: ['registry.internal:5000'] },
      works: `podman run --name logs --network none --runtime /usr/local/bin/runc-inside busybox /bin/busybox echo logged
[ "$(podman logs logs)" = logged ]
podman inspect -f '{{.HostConfig.LogConfig.Type}}' logs | grep -cx k8s-file
podman rm logs
podman info -f '{{index .Registries "registry.internal:5000"}}' | grep -c true`,
    },
    units: [],
    gone: '[ ! -e /usr/bin/podman ]',
  },
  runc: {
    config: {},
    works: `${PREPARE}
rm -rf bundle; mkdir -p bundle/rootfs/{dev,proc,sys}; cp -r busybox/bin bundle/rootfs/; cd bundle; runc spec
sed -i 's/"terminal": true/"terminal": false/; s#"sh"#"/bin/busybox", "hostname"#' config.json
runc-inside run proof-$$ | grep -cx runc`,
    changed: { config: {}, works: 'cd /root/bundle; runc-inside run proof-$$ | grep -cx runc' },
    units: [],
    gone: '[ ! -e /usr/sbin/runc ]',
  },
};
